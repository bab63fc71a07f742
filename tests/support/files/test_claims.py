"""Claims of folders by workers: of one that is dead, and on a disk without locks."""

import errno
import fcntl
import json
import signal
import subprocess
import sys

import pytest

from azjax.support.files.claims import claiming
from azjax.support.files.ownership import TakenError, owned

WORKER = """
import pathlib, sys, time
from azjax.support.files.claims import claiming
with claiming() as mine:
    print(mine.claim(pathlib.Path(sys.argv[1])) is not None, flush=True)
    time.sleep(600)
"""
FAR = {"host": "far", "pid": 7, "since": "2026-01-01 00:00:00 UTC", "token": "x"}


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "run"


@pytest.fixture
def other(folder):
    """Returns another worker, which has claimed the folder."""
    command = [sys.executable, "-c", WORKER, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "True\n"
        yield process
        process.kill()


@pytest.fixture
def claims():
    with claiming() as claims:
        yield claims


def test_a_folder_is_claimed_once(claims, folder):
    assert claims.claim(folder)
    with claiming() as others:
        assert others.claim(folder) is None
        claims.release(folder)
        assert others.claim(folder)


def test_what_another_process_owns_is_left_to_it(claims, folder):
    with owned(folder):
        assert claims.claim(folder) is None
    assert claims.claim(folder)


def test_the_claim_of_a_killed_worker_is_free_at_once(claims, folder, other):
    assert claims.claim(folder) is None
    other.send_signal(signal.SIGKILL)
    other.wait()
    assert claims.claim(folder)


def test_without_locks_a_folder_is_claimed_once_too(claims, folder, monkeypatch):
    def no_locks(file, operation):
        raise OSError(errno.ENOTSUP, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    assert claims.claim(folder)
    with claiming() as others:
        assert others.claim(folder) is None
        claims.release(folder)
        assert others.claim(folder)


def test_a_worker_that_lost_its_claim_leaves_the_new_owner_alone(folder):
    with claiming() as claims:
        owner = claims.claim(folder)
        (folder / ".owner").write_text(json.dumps(FAR))
        with pytest.raises(TakenError, match="now belongs to process 7 on far"):
            owner.check()
    assert json.loads((folder / ".owner").read_text()) == FAR
