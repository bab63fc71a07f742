"""The progress that is printed while a run trains."""

import io
import pathlib

import pytest
from rich.console import Console

from azjax.config.limits import Limits
from azjax.config.run_config import RunConfig
from azjax.runs.progress import TrainingProgress
from azjax.runs.run_directory import RunDirectory

RUN = RunDirectory(
    pathlib.Path("runs/tic_tac_toe"), "tic_tac_toe", RunConfig(), 0, 1, Limits(5.0, None)
)


@pytest.fixture(autouse=True)
def usual_terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")


def shown(**console):
    """Returns what a tenth of a run prints."""
    file = io.StringIO()
    row = {
        "iteration": 12,
        "seconds": 30.0,
        "simulations_per_second": 16000.0,
        "policy_loss": 1.5,
        "value_loss": 0.25,
    }
    with TrainingProgress(Console(file=file, **console)) as progress:
        progress.update(RUN, row, share_done=0.1, permanent=False)
    return file.getvalue()


@pytest.mark.parametrize("width", [60, 80, 200])
def test_a_live_line_keeps_its_share_and_time_left_on_a_narrow_terminal(width):
    text = shown(force_terminal=True, width=width)
    assert " 10% 04:30 left  iteration 12" in text
    assert ("value loss 0.250" in text) == (width == 200)


def test_without_a_terminal_it_says_that_it_compiles():
    assert shown(force_terminal=False) == "compiling\n"
