import dataclasses
import datetime
import json

import pytest

from azjax.config.limits import Limits
from azjax.config.run_config import RunConfig
from azjax.runs.storage import run_description
from azjax.runs.storage.metrics_log import MetricsWriter
from azjax.runs.storage.run_description import record_session
from azjax.runs.storage.run_directory import RunDirectory
from azjax.runs.storage.run_folders import create_run, open_run
from azjax.search import Policy
from azjax.support.errors import InputError
from azjax.training import PolicyValue, TrainConfig

LIMITS = Limits(minutes=None, iterations=5)


@pytest.fixture
def run(tmp_path):
    return create_run(RunDirectory(tmp_path / "run", "tic_tac_toe", RunConfig(), 3, 2, LIMITS))


def test_an_opened_run_is_the_created_one(run):
    assert open_run(run.path) == run


def describe(run):
    return json.loads((run.path / "run.json").read_text())


def test_a_session_is_recorded_with_its_limits_and_what_it_runs_on(run, monkeypatch):
    before = describe(run)
    monkeypatch.setattr(run_description, "package_commit", lambda: "abc-dirty")
    changed = dataclasses.replace(run, limits=Limits(2.3, None), truth="connect_four")
    record_session(changed, 12, 3)
    assert open_run(run.path) == changed
    after = describe(run)
    names = {key for key in before if after[key] != before[key]}
    assert names == {"limits", "truth", "sessions"}  # the commit is that of the first session
    [session] = after["sessions"]
    changeable = ("limits", "truth", "keep_all_networks")
    began = datetime.datetime.fromisoformat(session.pop("began"))
    age = datetime.datetime.now(datetime.UTC) - began
    assert datetime.timedelta(seconds=-1) < age < datetime.timedelta(minutes=1)
    names = ("hardware", "precision", "versions", "devices", *changeable)
    same = {name: after[name] for name in names}
    assert session == {"iteration": 12, "vmapped_runs": 3, "commit": "abc-dirty", **same}


def test_a_run_that_improves_an_agent_needs_one(tmp_path):
    train = TrainConfig(search=Policy(), algorithm=PolicyValue(), parts=())
    path = tmp_path / "run"
    run = RunDirectory(path, "tic_tac_toe", RunConfig(train), 0, 1, LIMITS)
    with pytest.raises(InputError, match=r"^algorithm\.name=policy_value: needs .*-from$"):
        create_run(run)
    assert not path.exists()


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text[: len(text) // 2],
        lambda text: text.replace('"seed": 3', '"seed": ""'),
        lambda text: text.replace('"blocks": 5', '"blocks": 1000000'),
    ],
    ids=["cut", "text", "large"],
)
def test_a_description_that_cannot_be_read_is_refused(run, change):
    file = run.path / "run.json"
    file.write_text(change(file.read_text()))
    with pytest.raises(InputError, match=r"run\.json cannot be read"):
        open_run(run.path)


def test_a_run_of_an_older_azjax_is_refused_with_what_to_do(run):
    description = describe(run)
    del description["config"]["versions"], description["config"]["changed"]
    run_description.write_description(run.path, description)
    with pytest.raises(InputError, match=r"run\.json .*older azjax: train again, or use .*$"):
        open_run(run.path)


def write_rows(run, first, last, *, after=0):
    writer = MetricsWriter(run, after)
    for iteration in range(first, last + 1):
        writer.write({"iteration": iteration, "seconds": 2.0 * iteration, "loss": None})
    writer.close()
    return writer


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "line 2: it is no JSON"),
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
