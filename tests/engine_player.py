"""The fake engine of tests/engines as a player, its log, and its processes."""

import pathlib
import sys

import psutil

FAKE_ENGINE = pathlib.Path(__file__).parent / "engines" / "fake_engine.py"


def fake(*arguments):
    """Returns the name of the player that is the fake engine with these arguments."""
    return " ".join([f"gtp:{sys.executable} {FAKE_ENGINE}", *(f"'{a}'" for a in arguments)])


def log_commands(monkeypatch, path):
    """Returns a function that reads the (process, command) that fake engines have been sent."""
    monkeypatch.setenv("FAKE_ENGINE_LOG", str(path))
    return lambda: [line.split(" ", 1) for line in path.read_text().splitlines()]


def running_engines():
    """Returns the processes of fake engines that this one has started."""
    return [p for p in psutil.Process().children() if "fake_engine" in str(p.cmdline())]
