"""Checkpoints by the clock."""

import io
import signal
import types

import pytest
from rich.console import Console
from tiny_runs import make_coins_run, train_run

from azjax.config.limits import Limits
from azjax.runs.reporting.progress import TrainingProgress
from azjax.runs.storage import checkpoints
from azjax.runs.storage.checkpoints import CheckpointSchedule, restore, saved_iterations


@pytest.fixture
def clock(monkeypatch):
    """Returns the clock, whose `now` a test sets."""
    fake = types.SimpleNamespace(now=1000.0)
    module = types.SimpleNamespace(monotonic=lambda: fake.now)
    monkeypatch.setattr(checkpoints, "time", module)
    return fake


def saves(clock, iteration_seconds, iterations, evaluate_every=10**6):
    """Returns the seconds at which a session with such iterations saves."""
    schedule = CheckpointSchedule()
    began, saved = clock.now, []
    for iteration in range(1, iterations + 1):
        clock.now += iteration_seconds
        if schedule.is_due(is_evaluation=iteration % evaluate_every == 0):
            schedule.note_saved()
            saved.append(clock.now - began)
    return saved


@pytest.mark.parametrize("iteration_seconds", [7.0, 299.0])
def test_checkpoints_are_at_most_five_minutes_apart(clock, iteration_seconds):
    saved = saves(clock, iteration_seconds, 2000)
    gaps = [after - before for before, after in zip([0.0, *saved], saved, strict=False)]
    assert 300 - iteration_seconds < max(gaps) <= 300


def test_the_first_iteration_is_saved_and_evaluations_unless_a_checkpoint_is_fresh(clock):
    assert saves(clock, 4.0, 10, evaluate_every=2) == [4.0, 24.0, 40.0]
    assert saves(clock, 40.0, 5, evaluate_every=2) == [40.0, 80.0, 160.0]


def test_a_checkpoint_by_the_clock_has_no_accuracy(tmp_path, tiny_config, monkeypatch):
    monkeypatch.setattr(checkpoints, "SECONDS_UNSAVED", -1.0)
    limits = Limits(None, 32)  # evaluations at multiples of four
    run = make_coins_run(tmp_path / "run", tiny_config, limits, evaluate_every=4)
    assert train_run(run, _StopAt(6)).was_interrupted
    assert saved_iterations(run.checkpoints) == [4, 5, 6]
    assert restore(run, "best").iteration == 4


class _StopAt(TrainingProgress):
    """Interrupts a run after an iteration."""

    def __init__(self, iteration):
        super().__init__(Console(file=io.StringIO()))
        self._iteration = iteration

    def update(self, run, row, share_done, *, permanent):
        if row["iteration"] == self._iteration:
            signal.raise_signal(signal.SIGINT)
