"""A run that cannot be written ends in one line, and keeps what it has saved."""

import dataclasses
import shutil

import pytest
from full_disk import no_space, no_space_in
from orbax.checkpoint import CheckpointManager
from tiny_runs import make_coins_run, no_progress, train_run

from azjax.config.limits import Limits
from azjax.evaluation import all_positions
from azjax.games import make
from azjax.runs import resuming, session
from azjax.runs.storage import answers, metrics_log
from azjax.runs.storage.checkpoints import last_checkpoint
from azjax.runs.storage.metrics_log import read_metrics
from azjax.runs.train import train_population
from azjax.support.errors import InputError, RunError

pytestmark = pytest.mark.slow

WRITERS = {
    "metrics.jsonl": lambda: (metrics_log, "append_line", no_space),
    "what is rewound": lambda: (resuming, "write_text_atomically", no_space),
    "checkpoints": lambda: (CheckpointManager, "save", no_space_in("checkpoints")),
    "curves.png": lambda: (session, "plot_curves", no_space),
}


def make_run(folder, config, seed, iterations):
    return make_coins_run(folder, config, Limits(iterations=iterations), seed=seed)


@pytest.fixture(scope="module")
def killed(tmp_path_factory, tiny_config):
    """Returns a run that was killed in its second iteration."""
    run = make_run(tmp_path_factory.mktemp("killed") / "run", tiny_config, 0, 1)
    train_run(run, no_progress())
    with run.metrics.open("a") as metrics:
        metrics.write('{"iteration": 2')
    return run


@pytest.fixture
def run(killed, tmp_path):
    """Returns a copy of it, with a limit of three."""
    path = shutil.copytree(killed.path, tmp_path / "run")
    return dataclasses.replace(killed, path=path, limits=Limits(None, 3))


@pytest.mark.parametrize("writer", WRITERS)
def test_a_full_disk_ends_the_run_in_one_line_that_names_the_checkpoint(run, monkeypatch, writer):
    with monkeypatch.context() as patch:
        patch.setattr(*WRITERS[writer]())
        with pytest.raises(RunError) as failure:
            train_run(run, no_progress())
    kept = 3 if writer == "curves.png" else 1
    assert "No space left on device" in str(failure.value)
    assert str(failure.value).endswith(f"; the last good checkpoint is {kept}")
    assert "\n" not in str(failure.value)
    assert last_checkpoint(run.checkpoints) == kept
    train_run(run, no_progress())
    assert [row["iteration"] for row in read_metrics(run.metrics)] == [0, 1, 2, 3]


def test_where_one_member_cannot_be_written_the_others_go_on(tmp_path, tiny_config, monkeypatch):
    runs = [make_run(tmp_path / str(seed), tiny_config, seed, 2) for seed in range(2)]
    append = metrics_log.append_line

    def append_or_fail(file, line):
        if file.name == str(runs[0].metrics) and '"iteration": 2' in line:
            no_space()
        append(file, line)

    monkeypatch.setattr(metrics_log, "append_line", append_or_fail)
    outcomes = {}
    train_population(iter(runs), 2, lambda: None, no_progress(), on_end=outcomes.__setitem__)
    assert "No space left" in str(outcomes[runs[0]].error)
    assert [row["iteration"] for row in outcomes[runs[0]].rows] == [1]
    assert outcomes[runs[1]].error is None
    assert last_checkpoint(runs[1].checkpoints) == 2


def test_where_the_next_run_cannot_begin_those_in_training_are_saved(tmp_path, tiny_config):
    def runs():
        yield long
        yield make_run(tmp_path / "short", tiny_config, 1, 1)
        raise InputError("the next run cannot be created")

    long = make_run(tmp_path / "long", tiny_config, 0, 1000)
    outcomes = {}
    with pytest.raises(InputError, match="next run"):
        train_population(runs(), 2, lambda: None, no_progress(), on_end=outcomes.__setitem__)
    assert last_checkpoint(long.checkpoints) == 1
    assert outcomes[long].was_interrupted


def test_a_full_disk_at_the_answers_leaves_no_row_without_them(run, monkeypatch):
    sampled = all_positions(make("coins"))._replace(is_complete=False)
    monkeypatch.setattr(answers, "append_json_line", no_space)
    with pytest.raises(RunError, match=r"No space left.*; the last good checkpoint is 1$"):
        train_run(run, no_progress(), sampled)
    assert [row["iteration"] for row in read_metrics(run.metrics)] == [0, 1]
