"""What a machine or a network does to a training: a gradient that is no number, time, memory."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import psutil
from fault_injection.subjects import (
    MOST_SECONDS,
    SUBJECTS,
    Finding,
    check_one_line,
    compare,
    result_without_fault,
    run,
)

from azjax.support.errors import RunError
from azjax.support.signals import INTERRUPTED

_MOST_GROWTH = 0.02  # of a long training's memory
_NAN = """
import dataclasses
import jax.numpy as jnp
import azjax
from azjax.training import AlphaZero

@azjax.register
@dataclasses.dataclass(frozen=True)
class Spoilt(AlphaZero):
    name = "spoilt"

    def make_batch(self, context, replay, targets, positions):
        batch = super().make_batch(context, replay, targets, positions)
        factor = jnp.where(replay.num_written > 100, jnp.nan, 1.0)
        return batch._replace(action_weights=batch.action_weights * factor)
"""
# The clock goes back by a day after the first checkpoint; the monotonic one goes on.
_CLOCK = """
import sys, time
from azjax.cli import main
from azjax.runs.storage.checkpoints import Checkpoints
now, save, offset = time.time, Checkpoints.save, 0.0

def save_and_set_back(*arguments, **settings):
    global offset
    save(*arguments, **settings)
    offset = 86400.0

time.time = lambda: now() - offset
Checkpoints.save = save_and_set_back
sys.argv = sys.argv[1:]
main()
assert offset
"""


def spoil_gradient(folder: pathlib.Path) -> Finding:
    """Trains with a gradient that is not a number from some iteration on."""
    finding = Finding()
    (folder / "spoilt.py").write_text(_NAN)
    subject, path = SUBJECTS["train"], folder / "run"
    command = [*subject.begin(path), "--plugin", "spoilt", "--algorithm.name", "spoilt"]
    ended = run(command, folder)
    problem = check_one_line(ended)
    if not problem and "the loss is not finite at iteration" not in ended.stderr:
        problem = ended.stderr
    finding.note(problem, "a gradient that is not a number")
    return finding


def set_clock_back(folder: pathlib.Path) -> Finding:
    """Trains while the clock goes back by a day, and goes on by the right clock."""
    subject, finding = SUBJECTS["train"], Finding()
    expected, path = result_without_fault(subject, folder), folder / "run"
    command = subject.begin(path)
    ended = run([command[0], "-c", _CLOCK, "azjax", *command[3:]])
    problem = f"status {ended.returncode}: {ended.stderr[-300:]}" if ended.returncode else None
    finding.note(problem or compare(subject, path, expected), "a clock set back")
    return finding


def watch_memory(minutes: float, folder: pathlib.Path) -> Finding:
    """Trains Connect Four, and compares the memory of the process over time.

    It fails where the mean of the last quarter is more than 2% above the second quarter's.
    """
    finding, sizes = Finding(), []  # the sizes in MiB
    command = [sys.executable, "-m", "azjax", "train", "connect_four", "--out", str(folder / "run")]
    # With the optimisations of a user's run, which the other campaigns do without.
    environment = {**os.environ, "JAX_DISABLE_MOST_OPTIMIZATIONS": "0"}
    process = subprocess.Popen(
        [*command, "--minutes", "1000"], env=environment, stdout=subprocess.DEVNULL
    )
    try:
        deadline = time.monotonic() + 60 * minutes
        while time.monotonic() < deadline:
            time.sleep(min(30.0, 2 * minutes))
            sizes.append(psutil.Process(process.pid).memory_info().rss / 2**20)
        process.send_signal(signal.SIGTERM)
        if process.wait(MOST_SECONDS) != INTERRUPTED:
            raise RunError(f"the training has ended with status {process.returncode}")
    finally:
        process.kill()
        process.wait()
    settled = sizes[len(sizes) // 4 :]  # after compilation and the first evaluations
    third = max(1, len(settled) // 3)
    first, last = (sum(part) / len(part) for part in (settled[:third], settled[-third:]))
    growth = last / first - 1
    quarters = {"second_quarter_mib": round(first, 1), "last_quarter_mib": round(last, 1)}
    found = {"memory_mib": [round(size) for size in sizes], **quarters, "growth": round(growth, 4)}
    print(json.dumps(found))
    problem = f"the memory has grown by {growth:.1%}" if growth > _MOST_GROWTH else None
    finding.note(problem, "memory")
    return finding
