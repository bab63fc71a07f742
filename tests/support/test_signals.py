"""Signals that ask to stop, in this process and in processes whose main thread is in C code."""

import signal
import subprocess
import sys
import textwrap
import time
from subprocess import PIPE

import pytest

from azjax.support.signals import stop_requests


def nothing():
    return "nothing is saved"


@pytest.fixture(params=[signal.SIGINT, signal.SIGTERM])
def signum(request):
    before = signal.signal(request.param, signal.SIG_DFL)  # it may be ignored
    yield request.param
    signal.signal(request.param, before)


def test_a_signal_is_noted_and_a_second_ctrl_c_has_its_usual_effect(signum):
    seen = []
    signal.signal(signum, lambda *_: seen.append("second"))
    second = ["second"] if signum == signal.SIGINT else []  # a scheduler may send SIGTERM twice
    with stop_requests(nothing) as stop_requested:
        assert not stop_requested()
        signal.raise_signal(signum)
        assert stop_requested()
        assert seen == []
        signal.raise_signal(signum)
        assert seen == second
    signal.raise_signal(signum)
    assert seen == [*second, "second"]


@pytest.mark.parametrize("signum", [signal.SIGHUP], indirect=True)
def test_what_terminals_and_batch_systems_send_asks_to_stop_unless_it_is_ignored(signum):
    for handler, is_asked in [(signal.SIG_IGN, False), (signal.SIG_DFL, True)]:
        signal.signal(signum, handler)
        with stop_requests(nothing) as stop_requested:
            signal.raise_signal(signum)
            assert stop_requested() == is_asked
        assert signal.getsignal(signum) == handler


# `compute` is one call in C, which no signal interrupts; a million rounds take half a second.
PROGRAM = """
import hashlib, signal, sys
from azjax.support import signals
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # which `nohup pytest` ignores
signals._GRACE_SECONDS = 0.3

def compute(rounds):
    hashlib.pbkdf2_hmac("sha256", b"", b"", rounds)

with signals.stop_requests(lambda: "checkpoint 7 is saved") as stop_requested:
    print("ready", flush=True)
{block}
compute(2_000_000)  # after the block there is no deadline
print("ended by itself", flush=True)
sys.exit(7)
"""
FOREVER = 10**9
LINES = [
    "azjax: stopping as soon as this step is done, or in 0 seconds without it",
    "azjax: stopped within a step; checkpoint 7 is saved",
]


@pytest.fixture
def signalled():
    """Returns `signalled(block, signum)`: how a process ends after a signal within a block.

    That is its status, and the lines that it writes to standard output and to standard error.
    """
    processes = []

    def call(block, signum=signal.SIGTERM):
        block = textwrap.indent(textwrap.dedent(block), "    ")
        program = PROGRAM.format(block=block)
        process = subprocess.Popen(
            [sys.executable, "-c", program], stdout=PIPE, stderr=PIPE, text=True
        )
        processes.append(process)
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.1)  # until it is in C
        call.sent = time.monotonic()
        process.send_signal(signum)
        out, err = process.communicate(timeout=60)
        return process.returncode, out.splitlines(), err.splitlines()

    yield call
    for process in processes:
        process.kill()


def test_sigterm_ends_a_step_that_takes_long_and_says_what_is_saved(signalled):
    assert signalled(f"compute({FOREVER})") == (130, [], LINES)
    assert 0.3 <= time.monotonic() - signalled.sent < 10


def test_a_block_that_stops_in_time_ends_by_itself(signalled):
    ended = signalled("while not stop_requested():\n    compute(100)", signal.SIGHUP)
    assert ended == (7, ["ended by itself"], LINES[:1])
