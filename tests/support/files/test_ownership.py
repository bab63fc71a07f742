"""A folder has one owner at a time, whose lock ends with its process."""

import errno
import fcntl
import os
import signal
import subprocess
import sys

import pytest

from azjax.support.errors import InputError, RunError
from azjax.support.files.ownership import find_owner, owned

HOLD = """
import pathlib, sys, time
from azjax.support.files.ownership import owned
with owned(pathlib.Path(sys.argv[1])):
    print("owned", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "a" / "folder"


@pytest.fixture
def other(folder):
    """Returns a process that owns the folder."""
    command = [sys.executable, "-c", HOLD, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "owned\n"
        yield process
        process.kill()


def take(folder):
    with owned(folder):
        pass


def test_a_second_owner_is_refused_by_the_name_of_the_first(folder, other):
    with pytest.raises(InputError, match=f" is in use by process {other.pid} on ") as refusal:
        take(folder)
    assert "\n" not in str(refusal.value)
    assert f"{folder} is in use by {find_owner(folder)}: " in str(refusal.value)


def test_a_killed_owner_leaves_no_lock_behind(folder, other):
    other.send_signal(signal.SIGKILL)
    other.wait()
    assert find_owner(folder) is None
    take(folder)


def test_another_part_of_the_same_process_is_refused_too(folder):
    with owned(folder) as owner:
        with pytest.raises(InputError, match=f"in use by process {os.getpid()} on"):
            take(folder)
        owner.check()


FAR = b'{"host": "far", "pid": 7, "since": "2026-01-01 00:00:00 UTC", "token": "x"}'


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (FAR, "process 7 on far since"),  # of a machine that the lock does not reach
        (b"", "another process; "),
        (b"[" * 10_000, "another process; "),
    ],
)
def test_an_owner_whose_token_is_overwritten_stops_in_one_line(folder, content, words):
    with owned(folder) as owner:
        (folder / ".owner").write_bytes(content)
        with pytest.raises(RunError, match=f"now belongs to {words}") as stop:
            owner.check()
    assert "\n" not in str(stop.value)


def test_without_locks_the_newest_owner_writes_and_the_former_one_stops(folder, monkeypatch):
    def no_locks(file, operation):
        raise OSError(errno.ENOTSUP, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    with owned(folder) as former, owned(folder) as newest:
        newest.check()
        with pytest.raises(RunError, match="now belongs to"):
            former.check()


def test_a_link_in_place_of_the_file_is_not_followed(folder, tmp_path):
    folder.mkdir(parents=True)
    (tmp_path / "mine").write_text("mine")
    (folder / ".owner").symlink_to(tmp_path / "mine")
    with pytest.raises(InputError, match="cannot be written"):
        take(folder)
    assert (tmp_path / "mine").read_text() == "mine"
