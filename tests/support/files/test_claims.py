"""Claims of folders by workers: of one that is dead, that hangs, or that another machine has."""

import functools
import json
import os
import signal
import subprocess
import sys
import time
import types

import pytest

from azjax.support.files import claims as claims_module
from azjax.support.files.claims import claiming
from azjax.support.files.ownership import InUseError, TakenError, owned, read_owner

WORKER = """
import pathlib, sys, time
from azjax.support.files import claims
claims.BEAT_SECONDS = 0.1
with claims.claiming() as mine:
    owner = mine.claim(pathlib.Path(sys.argv[1]))
    print(owner is not None, flush=True)
    while True:
        time.sleep(0.1)
        try:
            owner.check()
        except Exception as error:
            print(type(error).__name__, flush=True)
            break
"""
FAR = {"host": "far", "pid": 7, "since": "2026-01-01 00:00:00 UTC", "token": "x", "beats": True}


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "run"


@pytest.fixture
def clock(monkeypatch):
    """Returns the clock of this process's workers, whose `now` a test sets; hearts beat often."""
    fake = types.SimpleNamespace(now=1000.0)
    module = types.SimpleNamespace(monotonic=lambda: fake.now, sleep=lambda seconds: None)
    monkeypatch.setattr(claims_module, "time", module)
    monkeypatch.setattr(claims_module, "BEAT_SECONDS", 0.1)
    return fake


@pytest.fixture
def other(folder):
    """Returns another worker, which has claimed the folder, and whose heart beats often."""
    command = [sys.executable, "-c", WORKER, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "True\n"
        yield process
        process.kill()


@pytest.fixture
def claims():
    with claiming() as claims:
        yield claims


def claim_in_100_seconds(claims, folder, clock, before_looking=lambda: None):
    """Claims a folder three times, the seconds of grace apart and a little less."""
    for _ in range(3):
        before_looking()
        if owner := claims.claim(folder):
            return owner
        clock.now += 50
    return None


def wait_for_beat(folder):
    before = (folder / ".owner").stat().st_mtime_ns
    deadline = time.monotonic() + 60
    while (folder / ".owner").stat().st_mtime_ns == before:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def stop(process):
    process.send_signal(signal.SIGSTOP)
    os.waitpid(process.pid, os.WUNTRACED)  # until it is stopped


def test_a_folder_is_claimed_once(claims, folder):
    assert claims.claim(folder)
    with claiming() as others:
        assert others.claim(folder) is None
        claims.release(folder)
        assert others.claim(folder)


def test_what_a_process_without_a_heartbeat_owns_is_left_to_it(claims, folder, monkeypatch):
    monkeypatch.setattr(claims_module, "GRACE_SECONDS", 0.0)
    with owned(folder):
        assert claims.claim(folder) is None
        assert claims.claim(folder) is None
    assert claims.claim(folder)


def test_a_living_worker_keeps_its_claim(claims, folder, other, clock):
    beat = functools.partial(wait_for_beat, folder)
    assert claim_in_100_seconds(claims, folder, clock, beat) is None
    assert other.poll() is None


def test_the_claim_of_a_killed_worker_is_free_at_once(claims, folder, other):
    other.send_signal(signal.SIGKILL)
    other.wait()
    assert claims.claim(folder)


def test_a_worker_that_was_stopped_for_long_has_lost_its_claim(folder, other, clock, claims):
    stop(other)
    owner = claim_in_100_seconds(claims, folder, clock)
    assert owner is not None
    with claiming() as third:  # the lock is not the owner's, but its heart beats
        beat = functools.partial(wait_for_beat, folder)
        assert claim_in_100_seconds(third, folder, clock, beat) is None
    other.send_signal(signal.SIGCONT)
    assert other.stdout.readline() == "TakenError\n"
    other.wait()
    owner.check()


def test_a_worker_of_another_machine_is_dead_when_its_heart_has_stopped(claims, folder, clock):
    folder.mkdir()
    (folder / ".owner").write_text(json.dumps(FAR))  # where no lock reaches
    assert claims.claim(folder) is None
    clock.now += 50
    os.utime(folder / ".owner", (1e9, 1e9))  # a heartbeat, by a clock that is wrong
    assert claim_in_100_seconds(claims, folder, clock)


def test_the_owner_after_one_that_seems_dead_keeps_the_folder(folder, other):
    dead = read_owner(folder)._replace(pid=1)  # the owner before this one
    with pytest.raises(InUseError), owned(folder, dead=dead):
        pass


def test_a_worker_that_lost_its_claim_leaves_the_new_owner_alone(folder):
    with claiming() as claims:
        owner = claims.claim(folder)
        (folder / ".owner").write_text(json.dumps(FAR))
        os.utime(folder / ".owner", (1e9, 1e9))
        ends = iter([False, True])
        claims._beat_until(types.SimpleNamespace(wait=lambda seconds: next(ends)))
        assert (folder / ".owner").stat().st_mtime == 1e9
        with pytest.raises(TakenError, match="now belongs to process 7 on far"):
            owner.check()
    assert json.loads((folder / ".owner").read_text()) == FAR
