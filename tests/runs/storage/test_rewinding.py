"""A session goes on from a checkpoint: what is recorded after it is dropped, and nothing else."""

import contextlib
import shutil

import numpy as np
import pytest

from azjax.evaluation import Answers
from azjax.runs.resuming import rewind
from azjax.runs.storage.answers import append_answers, read_answers
from azjax.runs.storage.checkpoints import Checkpoints
from azjax.runs.storage.metrics_log import MetricsWriter, read_metrics
from azjax.runs.storage.network_history import NetworkHistory
from azjax.support.files.ownership import TakenError


class Owner:
    """An ownership that another process may take at the moment it is checked, or after it."""

    def __init__(self, when_checked=lambda: None):
        self.check = when_checked


@pytest.fixture
def files(run):
    """Yields the run's history and its checkpoints."""
    history, checkpoints = NetworkHistory(run.history), Checkpoints(run.checkpoints)
    with contextlib.closing(history), contextlib.closing(checkpoints):
        yield history, checkpoints


@pytest.fixture(scope="session")
def saved(tmp_path_factory, state_at):
    """Returns a folder with the networks and checkpoints of three iterations."""
    folder = tmp_path_factory.mktemp("saved")
    history, checkpoints = NetworkHistory(folder / "history"), Checkpoints(folder / "checkpoints")
    with contextlib.closing(history), contextlib.closing(checkpoints):
        for iteration in (1, 2, 3):
            history.save(iteration, state_at(iteration).actor)
            checkpoints.save(state_at(iteration), None)
    return folder


@pytest.fixture
def record(run, saved):
    """Returns `record(iterations)`, which records iterations as a session does."""

    def record(iterations):
        writer = MetricsWriter(run, 0)
        for iteration in iterations:
            for folder in (run.history, run.checkpoints):
                shutil.copytree(saved / folder.name / str(iteration), folder / str(iteration))
            append_answers(run.answers, iteration, Answers(*np.ones((2, 8), bool)))
            writer.write({"iteration": iteration, "seconds": 0.5})
        writer.close()

    return record


def recorded(run, files):
    """Returns the iterations of metrics, answers, networks and checkpoints."""
    history, checkpoints = files
    rows = [row["iteration"] for row in read_metrics(run.metrics)]
    return rows, [*read_answers(run.answers)], history.iterations(), checkpoints.iterations()


def test_what_is_after_the_iteration_is_dropped(run, files, record):
    record([1, 2, 3])
    rewind(run, 2, *files, Owner())
    assert recorded(run, files) == ([1, 2],) * 4


def test_incomplete_lines_are_dropped(run, files, record):
    record([1])
    paths = run.metrics, run.answers
    whole = [path.read_text() for path in paths]
    for path, text in zip(paths, whole, strict=True):
        path.write_text(text + text[:3])
    rewind(run, 1, *files, Owner())
    assert [path.read_text() for path in paths] == whole


@pytest.mark.parametrize("number", [1, 3, 7])
def test_nothing_is_dropped_once_the_folder_is_taken(run, files, record, number):
    def refuse():
        nonlocal left
        left -= 1
        if left == 0:
            before.append(recorded(run, files))
            raise TakenError("it now belongs to another process")

    record([1, 2, 3])
    left, before = number, []
    with pytest.raises(TakenError):
        rewind(run, 1, *files, Owner(refuse))
    assert recorded(run, files) == before[0]


def test_what_a_next_owner_writes_after_the_check_is_kept(run, files, record):
    rewind(run, 0, *files, Owner(lambda: record([1, 2])))
    assert recorded(run, files) == ([1, 2],) * 4
