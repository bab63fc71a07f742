"""Three workers of one study, of which one is killed."""

import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

from azjax.runs.storage.metrics_log import read_metrics
from azjax.support.files.ownership import find_owner
from azjax.support.files.tables import read_table

pytestmark = pytest.mark.slow

SCRIPT = pathlib.Path(__file__).with_name("work_on_study.py")
SECONDS = 300


def wait_for(find):
    deadline = time.monotonic() + SECONDS
    while not (found := find()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return found


def pid_of_owner(path):
    """Returns the worker that has claimed a run, as soon as one has."""

    def find():
        owner = find_owner(path)
        return owner.pid if owner else None

    return wait_for(find)


def test_no_run_is_counted_twice(study):
    workers = {}
    for _ in range(3):
        worker = subprocess.Popen(
            [sys.executable, SCRIPT, study.path],
            env={**os.environ, "JAX_DISABLE_MOST_OPTIMIZATIONS": "1", "JAX_NUM_CPU_DEVICES": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        workers[worker.pid] = worker
    try:
        killed = pid_of_owner(study.run_path("slow", 0))
        os.kill(killed, signal.SIGKILL)
        others = [worker for pid, worker in workers.items() if pid != killed]
        outputs = [worker.communicate(timeout=SECONDS)[0] for worker in others]
        assert [worker.returncode for worker in others] == [0, 0], outputs
    finally:
        for worker in workers.values():
            worker.kill()
            worker.communicate()
    assert sum("For comparison: " in output for output in outputs) == 1, outputs
    for cell in study.cells:
        for seed in study.seeds:
            rows = read_metrics(study.run_path(cell.name, seed) / "metrics.jsonl")
            assert [row["iteration"] for row in rows] == [*range(5)]
    finals = read_table(study.path / "final.csv")
    assert sorted((row["cell"], row["seed"]) for row in finals) == [
        (name, seed) for name in ("fast", "slow") for seed in (0, 1)
    ]
