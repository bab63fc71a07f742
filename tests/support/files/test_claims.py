"""Claims of folders by workers: of one that is dead, that hangs, or that another machine has."""

import itertools
import json
import os
import signal
import subprocess
import sys
import time

import pytest

from azjax.support.errors import InputError
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
def other(folder, monkeypatch):
    """Returns another worker, which has claimed the folder, and whose heart beats often."""
    monkeypatch.setattr(claims_module, "GRACE_SECONDS", 2.0)
    monkeypatch.setattr(claims_module, "BEAT_SECONDS", 0.1)
    command = [sys.executable, "-c", WORKER, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "True\n"
        yield process
        process.kill()


@pytest.fixture
def claims():
    with claiming() as claims:
        yield claims


def claim_within(claims, folder, seconds):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if owner := claims.claim(folder):
            return owner
        time.sleep(0.1)
    return None


def test_a_folder_is_claimed_once(claims, folder):
    assert claims.claim(folder)
    with claiming() as others:
        assert others.claim(folder) is None
        claims.release(folder)
        assert others.claim(folder)


def test_at_the_end_all_is_released(folder):
    with claiming() as claims:
        claims.claim(folder)
    with owned(folder):
        pass


def test_what_a_process_without_a_heartbeat_owns_is_left_to_it(claims, folder, monkeypatch):
    monkeypatch.setattr(claims_module, "GRACE_SECONDS", 0.0)
    with owned(folder):
        assert claims.claim(folder) is None
        assert claims.claim(folder) is None
    assert claims.claim(folder)


def test_a_living_worker_keeps_its_claim(claims, folder, other):
    assert claim_within(claims, folder, 4.0) is None
    assert other.poll() is None


def test_the_claim_of_a_killed_worker_is_free_at_once(claims, folder, other):
    other.send_signal(signal.SIGKILL)
    other.wait()
    assert claims.claim(folder)


def test_a_worker_that_was_stopped_for_long_has_lost_its_claim(claims, folder, other):
    other.send_signal(signal.SIGSTOP)
    assert claims.claim(folder) is None  # it is seen for the first time
    owner = claim_within(claims, folder, 30.0)
    assert owner is not None
    with claiming() as third:  # the lock is not the owner's, but its heart beats
        assert claim_within(third, folder, 4.0) is None
    other.send_signal(signal.SIGCONT)
    assert other.stdout.readline() == "TakenError\n"
    other.wait()
    owner.check()


def test_a_worker_of_another_machine_is_dead_when_its_heart_has_stopped(
    claims, folder, monkeypatch
):
    folder.mkdir()
    (folder / ".owner").write_text(json.dumps(FAR))  # where no lock reaches
    assert claims.claim(folder) is None
    assert claims.claim(folder) is None
    os.utime(folder / ".owner", (1e9, 1e9))  # a heartbeat, by a clock that is wrong
    monkeypatch.setattr(claims_module, "GRACE_SECONDS", 0.5)
    assert claims.claim(folder) is None
    assert claim_within(claims, folder, 5.0)


def test_who_was_stopped_itself_looks_again_for_as_long(claims, folder, monkeypatch):
    folder.mkdir()
    (folder / ".owner").write_text(json.dumps(FAR))
    clock = itertools.accumulate([0.0, 1.0, 100.0, 30.0, 31.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    assert [claims._seems_dead(folder) for _ in range(5)] == [False, False, False, False, True]


def test_what_was_taken_from_a_stopped_worker_and_given_back_is_free_again(claims, folder, other):
    other.send_signal(signal.SIGSTOP)
    with claiming() as first:
        assert claim_within(first, folder, 30.0)
    assert claim_within(claims, folder, 30.0)  # the stopped worker still has the lock


def test_the_owner_after_one_that_seems_dead_keeps_the_folder(folder, other):
    dead = read_owner(folder)._replace(pid=1)  # the owner before this one
    with (
        pytest.raises(InUseError, match=f"in use by process {other.pid} on"),
        owned(folder, dead=dead),
    ):
        pass


def test_a_worker_that_lost_its_claim_leaves_the_new_owner_alone(folder, monkeypatch):
    monkeypatch.setattr(claims_module, "BEAT_SECONDS", 0.05)
    with claiming() as claims:
        owner = claims.claim(folder)
        (folder / ".owner").write_text(json.dumps(FAR))
        os.utime(folder / ".owner", (1e9, 1e9))
        time.sleep(0.5)  # in which it must not renew the heartbeat of the new owner
        assert (folder / ".owner").stat().st_mtime == 1e9
        with pytest.raises(TakenError, match="now belongs to process 7 on far"):
            owner.check()
    assert json.loads((folder / ".owner").read_text()) == FAR


def test_a_folder_that_cannot_be_written_is_named(claims, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="file"):
        claims.claim(tmp_path / "file" / "run")
