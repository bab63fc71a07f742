"""Fixtures that call the command line in this process, and a tiny run that the tests share."""

import itertools
import shutil
import types

import jax
import pytest
from command_line import TINY, call_main, make_accuracy

import azjax.runs.evaluation.endings as endings_module
from azjax.cli import main
from azjax.evaluation.truth.exploitability import LineCounts
from azjax.runs import session
from azjax.runs.storage import checkpoints as checkpoints_module


def change_schedules(patch):
    """Evaluates at multiples of `evaluate_every` only, and lets 16 seconds pass at each iteration.

    So each evaluation writes a checkpoint.
    """
    patch.setattr(endings_module, "_EVALUATIONS_PER_RUN", 1)
    seconds = itertools.count(step=16)
    clock = types.SimpleNamespace(monotonic=lambda: next(seconds))
    patch.setattr(checkpoints_module, "time", clock)


@pytest.fixture(autouse=True)
def schedules(monkeypatch):
    change_schedules(monkeypatch)


@pytest.fixture(autouse=True)
def short_compilations_are_kept():
    """Keeps, for other tests, what a command takes for too short to be kept."""
    yield
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.1)


@pytest.fixture
def azjax(capfd):
    """Returns `azjax("train", ...)`, which runs the command and returns its Result."""

    return lambda *arguments: call_main(main, arguments, capfd)


@pytest.fixture
def train(azjax):
    """Returns `train(folder, ...)`: a tiny run, with further arguments."""

    def call(folder, *arguments, preset="tic_tac_toe"):
        return azjax("train", preset, "--out", folder, *TINY, *arguments)

    return call


@pytest.fixture
def resume(azjax):
    """Returns `resume(folder, ...)`, which continues a run."""

    def call(folder, *arguments, preset="tic_tac_toe"):
        return azjax("train", preset, "--resume", "--out", folder, *arguments)

    return call


@pytest.fixture(scope="session")
def trained(tmp_path_factory):
    """Returns the folder of a run of six iterations that no test may change."""
    folder = tmp_path_factory.mktemp("trained") / "run"
    with pytest.MonkeyPatch.context() as patch:
        change_schedules(patch)
        main(["train", "tic_tac_toe", "--out", str(folder), "--iterations", "6", *TINY])
    return folder


@pytest.fixture
def copy(trained, tmp_path):
    """Returns the folder of a copy of the shared run, which may be changed."""
    return shutil.copytree(trained, tmp_path / "copy")


@pytest.fixture
def perfect(monkeypatch):
    """Gives every agent a perfect accuracy."""
    lines = (LineCounts(0, 100), LineCounts(0, 100))
    found = make_accuracy(4520, 1.0, 1.0, exploitability=0.0, lines=lines)
    monkeypatch.setattr(session, "AccuracyCheck", lambda *arguments: lambda variables: found)
