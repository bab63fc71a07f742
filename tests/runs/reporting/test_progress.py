"""The progress that is printed while a run trains."""

import io
import pathlib

import pytest
from rich.console import Console

from azjax.config.limits import Limits
from azjax.config.run_config import RunConfig
from azjax.runs.reporting.progress import TrainingProgress
from azjax.runs.storage.run_directory import RunDirectory

RUN = RunDirectory(
    pathlib.Path("runs/tic_tac_toe"), "tic_tac_toe", RunConfig(), 0, 1, Limits(5.0, None)
)
TRAINING = {"simulations_per_second": 1234567.0, "policy_loss": 1.5, "value_loss": 0.25}
ACCURACY = {"accuracy_network": 0.93125, "accuracy_search": 1.0, "random_accuracy": 0.3801}
ITERATION = {"iteration": 12345, "seconds": 30.0, **TRAINING}
PHRASES = (
    "accuracy 93.12% network, 100.00% search, 38% random",
    *("iteration 12345", "1,234,567 simulations/s"),
    *("policy loss 1.500", "value loss 0.250"),
)


@pytest.fixture(autouse=True)
def usual_terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")


def live(*rows, width, names_runs=False):
    """Returns the live lines after the iterations, the first ones of a tenth of a run."""
    console = Console(file=io.StringIO(), force_terminal=True, color_system=None, width=width)
    progress = TrainingProgress(console, names_runs=names_runs)
    for row in rows:
        progress.update(RUN, row, share_done=0.1, permanent=False)
    with console.capture() as capture:
        console.print(progress.render())
    return capture.get().splitlines()


def printed(*rows, **console):
    """Returns the permanent lines of evaluations, on a terminal or not."""
    file = io.StringIO()
    progress = TrainingProgress(Console(file=file, color_system=None, **console))
    for row in rows:
        progress.update(RUN, row, share_done=0.1, permanent=True)
    return file.getvalue().splitlines()


EVALUATED = (ITERATION | ACCURACY, ITERATION)


def test_accuracy_and_time_left_come_first_and_all_fits_into_two_lines_of_80_columns():
    first, second = live(*EVALUATED, width=80)
    assert first[1:] == f" ━───────  10%  {PHRASES[0]}  04:30 left"
    assert second == "  " + "  ".join(PHRASES[1:])


def test_without_a_terminal_an_evaluation_is_one_line():
    [line] = printed(ITERATION | ACCURACY, force_terminal=False, width=80)
    assert line == f" 30.0 s  iteration 12345  {PHRASES[0]}  {'  '.join(PHRASES[2:])}"
