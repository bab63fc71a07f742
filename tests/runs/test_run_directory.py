import dataclasses
import json
import re
import signal

import pytest

from azjax.config.limits import Limits
from azjax.config.run_config import RunConfig
from azjax.runs.resuming import record_changes
from azjax.runs.storage.metrics_log import MetricsWriter, read_metrics
from azjax.runs.storage.run_directory import absolute_truth, create_run, open_run, update_run
from azjax.support.errors import InputError
from azjax.support.signals import stop_requests

LIMITS = Limits(minutes=None, iterations=5)


@pytest.fixture
def run(tmp_path):
    return create_run(
        tmp_path / "run", "tic_tac_toe", RunConfig(), seed=3, num_devices=2, limits=LIMITS
    )


def test_an_opened_run_is_the_created_one(run):
    assert open_run(run.path) == run


def test_limits_and_truth_can_be_updated_and_nothing_else_changes(run):
    before = json.loads((run.path / "run.json").read_text())
    changed = dataclasses.replace(run, limits=Limits(2.3, None), truth="connect_four")
    update_run(changed)
    assert open_run(run.path) == changed
    after = json.loads((run.path / "run.json").read_text())
    assert {key for key in before if after[key] != before[key]} == {"limits", "truth"}


def test_a_run_of_an_older_azjax_has_no_truth(run):
    description = json.loads((run.path / "run.json").read_text())
    del description["truth"]
    (run.path / "run.json").write_text(json.dumps(description))
    assert open_run(run.path).truth is None
    assert record_changes(dataclasses.replace(run, truth="connect_four")) == []


def test_a_truth_is_recorded_so_that_it_is_found_from_another_folder(tmp_path, monkeypatch):
    (tmp_path / "mine.csv").touch()
    monkeypatch.chdir(tmp_path)
    assert absolute_truth("mine.csv") == str(tmp_path / "mine.csv")
    assert absolute_truth("connect_four") == "connect_four"
    assert absolute_truth(None) is None


def test_a_folder_is_created_with_its_parents(tmp_path):
    path = tmp_path / "a" / "b" / "c"
    create_run(path, "tic_tac_toe", RunConfig(), seed=0, num_devices=1, limits=LIMITS)
    assert open_run(path).seed == 0


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text[: len(text) // 2],
        lambda text: text.replace('"num_games"', '"num_game"'),
        lambda text: text.replace('"seed"', '"sead"'),
        lambda text: "[]",
        lambda text: "",
        lambda text: text.replace('"temperature": 1.0', '"temperature": -1.0'),
    ],
    ids=["cut", "unknown field", "missing field", "no table", "empty", "out of range"],
)
def test_a_description_that_cannot_be_read_is_refused(run, change):
    file = run.path / "run.json"
    file.write_text(change(file.read_text()))
    with pytest.raises(InputError, match=r"run\.json cannot be read"):
        open_run(run.path)


@pytest.mark.parametrize("version", [None, 1, 2])
def test_networks_of_an_older_version_are_refused_in_one_line(run, version):
    file = run.path / "run.json"
    description = json.loads(file.read_text()) | {"network_version": version}
    if version is None:  # as before versions were written
        del description["network_version"]
    file.write_text(json.dumps(description))
    message = f"networks of version {version or 1}, and this azjax those of version 3: train again"
    with pytest.raises(InputError, match=f"^{re.escape(str(run.path))} has {message}") as refusal:
        open_run(run.path)
    assert "\n" not in str(refusal.value)


def write_rows(run, first, last, *, after=0):
    writer = MetricsWriter(run, after)
    for iteration in range(first, last + 1):
        writer.write({"iteration": iteration, "seconds": 2.0 * iteration, "loss": None})
    writer.close()
    return writer


def test_rows_are_written_line_by_line_as_they_come(run):
    writer = MetricsWriter(run, 0)
    writer.write({"iteration": 1, "loss": 0.5})
    assert json.loads(run.metrics.read_text()) == {"iteration": 1, "loss": 0.5}
    writer.close()


def test_a_writer_drops_the_rows_after_its_first_iteration(run):
    write_rows(run, 1, 5)
    writer = write_rows(run, 4, 6, after=3)
    rows = read_metrics(run.metrics)
    assert [row["iteration"] for row in rows] == [1, 2, 3, 4, 5, 6]
    assert writer.rows == rows


def test_an_incomplete_row_is_left_out(run):
    write_rows(run, 1, 3)
    run.metrics.write_text(run.metrics.read_text()[:-10])
    assert [row["iteration"] for row in read_metrics(run.metrics)] == [1, 2]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "line 2: it is no JSON"),
        ("[1, 2]", "line 2, is damaged"),
        ('{"seconds": 1.0}', "line 2, is damaged"),
        ('{"iteration": 2}', "line 2, is damaged"),
        ('{"iteration": 2, "seconds": 1.0, "loss": "low"}', "line 2, is damaged"),
    ],
)
def test_a_damaged_row_is_named_and_the_rows_behind_it_are_kept(run, line, words):
    write_rows(run, 1, 3)
    lines = run.metrics.read_text().splitlines()
    run.metrics.write_text("\n".join([lines[0], line, lines[2], ""]))
    before = run.metrics.read_text()
    with pytest.raises(InputError, match=rf"metrics\.jsonl.*{words}"):
        MetricsWriter(run, 3)
    assert run.metrics.read_text() == before


def test_a_run_without_metrics_has_no_rows(run):
    assert read_metrics(run.metrics) == []


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_is_noted_and_a_second_one_has_its_usual_effect(signum):
    seen = []
    before = signal.signal(signum, lambda *_: seen.append("second"))
    try:
        with stop_requests() as stop_requested:
            assert not stop_requested()
            signal.raise_signal(signum)
            assert stop_requested()
            assert seen == []
            signal.raise_signal(signum)
            assert seen == ["second"]
        signal.raise_signal(signum)
        assert seen == ["second", "second"]
    finally:
        signal.signal(signum, before)


def test_signal_handlers_are_restored_after_the_run():
    handlers = [signal.getsignal(signum) for signum in (signal.SIGINT, signal.SIGTERM)]
    with pytest.raises(ZeroDivisionError), stop_requests():
        raise ZeroDivisionError
    assert [signal.getsignal(signum) for signum in (signal.SIGINT, signal.SIGTERM)] == handlers
