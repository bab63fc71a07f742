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
SHARES = "accuracy 93.12% network, 100.00% search, 38% random"
SPEED = "1,234,567 simulations/s  policy loss 1.500  value loss 0.250"


@pytest.fixture(autouse=True)
def usual_terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")


def test_the_live_lines_have_all_and_keep_the_last_accuracy():
    console = Console(file=io.StringIO(), force_terminal=True, color_system=None, width=80)
    progress = TrainingProgress(console)
    for row in (ITERATION | ACCURACY, ITERATION):
        progress.update(RUN, row, share_done=0.1, permanent=False)
    with console.capture() as capture:
        console.print(progress.live.get_renderable())
    lines = capture.get().splitlines()
    assert max(map(len, lines)) <= 80
    words = " ".join(capture.get().split())
    for text in (" 10% ", SHARES, "04:30 left", "iteration 12345", *SPEED.split("  ")):
        assert text in words
    assert "compiling" not in words
