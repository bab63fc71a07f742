"""Workers in separate processes: two on one study, one that is killed, one that is stopped."""

import os
import signal
import subprocess
import sys

import pytest
from command_line import wait_for
from sweeping import SCRIPT, TINY, states

import azjax.sweeps.storage as storage_module

pytestmark = pytest.mark.slow

# A trial is stale after seconds instead of a minute.
HEARTBEAT_SECONDS, GRACE_SECONDS = 1, 3
PROGRAM = f"""
import runpy
import azjax.sweeps.storage as storage
storage.HEARTBEAT_SECONDS, storage.GRACE_SECONDS = {HEARTBEAT_SECONDS}, {GRACE_SECONDS}
runpy.run_path({str(SCRIPT)!r}, run_name="__main__")
"""
OPTIONS = ("--trials", 5, "--places", 2, "--minutes", 5, "--trial-minutes", 0.05, "--out", "out")


@pytest.fixture(scope="session")
def environment(tmp_path_factory):
    compiled = str(tmp_path_factory.mktemp("compiled"))
    return os.environ | {
        "JAX_COMPILATION_CACHE_DIR": compiled,
        "JAX_DISABLE_MOST_OPTIMIZATIONS": "1",
    }


@pytest.fixture
def preset(tmp_path):
    path = tmp_path / "tiny.toml"
    path.write_text(TINY.replace("evaluate_every = 10", "evaluate_every = 50"))
    return path


@pytest.fixture
def start(environment, preset, tmp_path):
    """Returns `start()`, which starts a worker; all workers are killed after the test."""
    workers = []

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


def num_finished(folder):
    return sum(states(folder).get(state, 0) for state in ("COMPLETE", "PRUNED"))


@pytest.mark.parametrize("signum", [signal.SIGKILL, signal.SIGTERM])
def test_trials_of_a_dead_worker_are_tried_again(
    start, sweep, preset, monkeypatch, tmp_path, signum
):
    monkeypatch.setattr(storage_module, "GRACE_SECONDS", GRACE_SECONDS)
    out = tmp_path / "out"
    worker = start()
    wait_for(worker, (out / "trials" / "1" / "metrics.jsonl").exists)
    worker.send_signal(signum)
    printed, _ = worker.communicate(timeout=240)
    started = states(out)
    if signum == signal.SIGTERM:
        assert worker.returncode == 130
        assert "Continue with: python experiments/sweep.py --preset" in printed
        assert "RUNNING" not in started
    else:
        assert worker.returncode == -signum
        assert started["RUNNING"] == 2
    result = sweep(*OPTIONS)
    assert (result.code, result.err) == (0, "")
    ended = states(out)
    assert ended["FAIL"] == 2
    assert num_finished(out) == 5
    assert set(ended) <= {"FAIL", "COMPLETE", "PRUNED"}
    runs = {path.name for path in (out / "trials").iterdir()}
    assert len(runs) == 5  # retries continue the runs of the first attempts
    assert {"0", "1"} < runs


def test_a_worker_that_wakes_up_after_it_was_declared_dead_changes_nothing(
    start, sweep, preset, monkeypatch, tmp_path
):
    monkeypatch.setattr(storage_module, "GRACE_SECONDS", GRACE_SECONDS)
    out = tmp_path / "out"
    worker = start()
    wait_for(worker, (out / "trials" / "1" / "metrics.jsonl").exists)
    worker.send_signal(signal.SIGSTOP)
    result = sweep(*OPTIONS)
    assert (result.code, result.err) == (0, "")
    finished = states(out)
    runs = {path.name for path in (out / "trials").iterdir()}
    assert len(runs) == 7  # those of the first worker, and five others
    before = {name: (out / "trials" / name / "metrics.jsonl").read_bytes() for name in runs}
    worker.send_signal(signal.SIGCONT)
    printed, err = worker.communicate(timeout=240)
    assert (worker.returncode, err) == (0, "")
    for number in (0, 1):
        assert printed.count(f"trial {number}: it was declared dead, and is tried again") == 1
    assert states(out) == finished
    for name in runs - {"0", "1"}:
        assert (out / "trials" / name / "metrics.jsonl").read_bytes() == before[name]


def test_two_workers_start_one_study_at_once_and_share_its_trials(start, tmp_path):
    workers = [start(), start()]
    printed = [worker.communicate(timeout=280) for worker in workers]
    assert [worker.returncode for worker in workers] == [0, 0], printed
    assert [err for _, err in printed] == ["", ""]
    assert num_finished(tmp_path / "out") in (5, 6)  # both may have started the last one
    assert set(states(tmp_path / "out")) <= {"COMPLETE", "PRUNED"}
    finished = [
        line.split(":")[0] for out, _ in printed for line in out.splitlines() if "done" in line
    ]
    assert len(finished) == len(set(finished)) == num_finished(tmp_path / "out")
    assert all("Train the best: azjax train out/best.toml" in out for out, _ in printed)
    assert all(any(f"trial {n}:" in out for n in range(6)) for out, _ in printed)
