"""Two workers of one study in separate processes: one is killed, the other stopped for long."""

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys

import pytest
from command_line import wait_for
from sweeping import SCRIPT, TINY, states

import azjax.sweeps.storage as storage_module
from azjax.support.files.ownership import find_owner

pytestmark = pytest.mark.slow

# A trial is stale after seconds instead of a minute. Both workers train before one of them goes on,
# and none prunes a trial before the file `prune` is there.
HEARTBEAT_SECONDS, GRACE_SECONDS = 1, 3
PROGRAM = f"""
import pathlib, runpy, time
import azjax.sweeps.storage as storage
import azjax.sweeps.worker as worker
storage.HEARTBEAT_SECONDS, storage.GRACE_SECONDS = {HEARTBEAT_SECONDS}, {GRACE_SECONDS}
train = worker.train_population

def train_together(*arguments, on_evaluation, **settings):
    def wait(run, rows):
        while len(list(pathlib.Path("out").glob("trials/*/run.json"))) < 4:
            time.sleep(0.02)
        return pathlib.Path("prune").exists() and on_evaluation(run, rows)
    return train(*arguments, on_evaluation=wait, **settings)

worker.train_population = train_together
runpy.run_path({str(SCRIPT)!r}, run_name="__main__")
"""
OPTIONS = ("--trials", 5, "--places", 2, "--minutes", 5, "--trial-minutes", 0.05, "--out", "out")


@pytest.fixture
def preset(tmp_path):
    path = tmp_path / "tiny.toml"
    path.write_text(TINY.replace("evaluate_every = 10", "evaluate_every = 50"))
    return path


@pytest.fixture
def start(preset, tmp_path):
    """Returns `start()`, which starts a worker; all workers are killed after the test."""
    workers = []
    environment = os.environ | {"JAX_DISABLE_MOST_OPTIMIZATIONS": "1"}

    def call():
        arguments = ["--preset", preset, *OPTIONS]
        command = [sys.executable, "-c", PROGRAM, *map(str, arguments)]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        workers.append(subprocess.Popen(command, cwd=tmp_path, env=environment, **pipes))
        return workers[-1]

    yield call
    for worker in workers:
        worker.kill()
        worker.communicate()


def wait_for_pid(worker, run):
    """Returns the worker that trains a run, as soon as its metrics are there."""
    wait_for(worker, (run / "metrics.jsonl").exists)
    return find_owner(run).pid


def stop_between_writes(worker, folder):
    """Stops a worker; one that writes goes on first, as it would keep the lock of the database."""
    while True:
        worker.send_signal(signal.SIGSTOP)
        with contextlib.closing(sqlite3.connect(folder / "study.db", timeout=1)) as connection:
            try:
                return connection.execute("begin immediate")
            except sqlite3.OperationalError:
                worker.send_signal(signal.SIGCONT)


def test_trials_of_dead_workers_are_tried_again_and_one_that_wakes_up_changes_nothing(
    start, sweep, preset, monkeypatch, tmp_path
):
    monkeypatch.setattr(storage_module, "GRACE_SECONDS", GRACE_SECONDS)
    trials = tmp_path / "out" / "trials"
    workers = [start(), start()]  # of one study, at once
    pids = [wait_for_pid(workers[0], trials / str(number)) for number in range(4)]
    assert sorted(pids) == sorted(2 * [worker.pid for worker in workers])
    killed, stopped = workers
    killed.send_signal(signal.SIGKILL)
    stop_between_writes(stopped, tmp_path / "out")
    assert killed.wait(60) == -signal.SIGKILL
    assert states(tmp_path / "out") == {"RUNNING": 4}
    result = sweep(*OPTIONS)
    assert (result.code, result.err) == (0, "")
    finished = states(tmp_path / "out")
    assert finished.pop("FAIL") == 4
    assert finished.keys() <= {"COMPLETE", "PRUNED"}
    assert sum(finished.values()) == 5
    # Two tries continue the runs of the killed worker; two, and the fifth trial, have new ones.
    before = {path.parent.name: path.read_bytes() for path in trials.glob("*/metrics.jsonl")}
    assert len(before) == 7
    (tmp_path / "prune").touch()
    stopped.send_signal(signal.SIGCONT)
    printed, err = stopped.communicate(timeout=240)
    assert (stopped.returncode, err) == (0, "")
    assert states(tmp_path / "out") == finished | {"FAIL": 4}
    for number, pid in enumerate(pids):
        lost = f"trial {number}: it was declared dead, and is tried again"
        assert printed.count(lost) == (pid == stopped.pid)
    for name in before.keys() - {str(i) for i, pid in enumerate(pids) if pid == stopped.pid}:
        assert (trials / name / "metrics.jsonl").read_bytes() == before[name]
