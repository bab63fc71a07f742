"""`azjax train` in several processes of this machine, each with a device of the CPU."""

import os
import signal
import socket
import subprocess
import sys
import time

import pytest
from command_line import TINY, iterations, wait_for

from azjax.runs.storage.checkpoints import restore
from azjax.runs.storage.run_folders import open_run

pytestmark = pytest.mark.slow

SIZES = TINY[: TINY.index("--devices")]
SECONDS = 300


@pytest.fixture
def train(tmp_path):
    """Returns a function that starts the processes of a training."""
    running = []

    def start(out, *flags, size=2, devices=1):
        port = _free_port()
        command = [sys.executable, "-m", "azjax", "train", "tic_tac_toe", *SIZES, *flags]
        for number in range(size):
            group = (
                *("--distributed.coordinator-address", f"127.0.0.1:{port}"),
                *("--distributed.num-processes", str(size)),
                *("--distributed.process-id", str(number)),
            )
            words = ["--out", tmp_path / out, *(group if size > 1 else ())]
            settings = {"JAX_DISABLE_MOST_OPTIMIZATIONS": "1", "JAX_NUM_CPU_DEVICES": str(devices)}
            with (tmp_path / f"{out}.{number}.log").open("w") as log:
                process = subprocess.Popen(
                    [*command, *words], env=os.environ | settings, stdout=log, stderr=log
                )
            running.append(process)
        return running[-size:]

    yield start
    for process in running:
        process.kill()
        process.wait()


def _free_port():
    """Returns a port that is free, as is most probably the next one."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return min(probe.getsockname()[1], 65_000)


def _saved(run):
    return [int(path.name) for path in (run / "checkpoints").glob("[0-9]*") if path.name.isdigit()]


def statuses(processes):
    return [process.wait(SECONDS) for process in processes]


def fingerprint(path):
    return restore(open_run(path)).fingerprint


GATING = ("--parts", "random_starts", "gating", "--gating.games", "2")


def test_two_processes_train_what_one_does(train, tmp_path):
    flags = ("--iterations", "2", "--seeds", "2", *GATING)
    assert statuses(train("one", *flags, size=1, devices=2)) == [0]
    assert statuses(train("two", *flags)) == [0, 0]
    runs = sorted(path.parent for path in (tmp_path / "one").rglob("run.json"))
    assert len(runs) == 2
    for run in runs:
        assert fingerprint(run) == fingerprint(tmp_path / "two" / run.relative_to(tmp_path / "one"))
    assert "waiting for all 2 processes" in (tmp_path / "two.0.log").read_text()
    log = (tmp_path / "two.1.log").read_text()
    assert log.count("\n") <= 2  # process 0 alone talks; these are of the library
    assert "waiting for" not in log


def test_a_process_that_is_killed_ends_both_and_a_signal_to_one_saves_and_ends_both(
    train, tmp_path
):
    both = train("lost", "--iterations", "100000")
    wait_for(both[0], lambda: any(_saved(tmp_path / "lost")))
    both[1].kill()
    began = time.monotonic()
    assert 0 not in statuses(both)
    assert time.monotonic() - began < 60
    line = "azjax: error: a process was lost"
    assert line in (tmp_path / "lost.0.log").read_text()
    before = max(_saved(tmp_path / "lost"))
    both = train("lost", "--iterations", "100000", "--resume")
    wait_for(both[0], lambda: max(_saved(tmp_path / "lost")) > before)
    both[1].send_signal(signal.SIGTERM)
    assert statuses(both) == [130, 130]
    last = iterations(tmp_path / "lost")[-1]
    assert iterations(tmp_path / "lost") == [*range(last + 1)]
    assert max(_saved(tmp_path / "lost")) == last
    assert f"Stopped and saved at iteration {last}" in (tmp_path / "lost.0.log").read_text()
