"""One owner of a folder at a time: a lock on its file `.owner`, and a token in that file.

On shared disks some locks do not reach other machines. There a second process can take the folder,
but it writes a token of its own, and the former owner finds it before its next write.
"""

import contextlib
import datetime
import json
import os
import pathlib
import secrets
import socket
import time
from collections.abc import Iterator
from typing import NamedTuple

from azjax.support.errors import InputError, RunError, writing_errors
from azjax.support.files.file_locks import lock

OWNER_FILE = ".owner"
_MOST_BYTES = 4096  # that are read of it
_PAUSE_SECONDS = 0.2  # more than `find_owner` needs, which holds the lock for a moment
_TIME = "%Y-%m-%d %H:%M:%S UTC"


class Owner(NamedTuple):
    """A process that owns a folder; as a string, its name and since when."""

    host: str = ""
    pid: int | None = None  # None if the file does not tell who it is
    since: float = 0.0  # Unix time in seconds

    @property
    def name(self) -> str:
        """The process in words, such as `process 12 on laptop`."""
        return "another process" if self.pid is None else f"process {self.pid} on {self.host}"

    @property
    def process(self) -> tuple[str, int | None]:
        """What is equal for all folders that the process owns."""
        return self.host, self.pid

    def __str__(self) -> str:
        if self.pid is None:
            return self.name
        began = datetime.datetime.fromtimestamp(self.since, datetime.UTC)
        return f"{self.name} since {began:{_TIME}}"


class InUseError(InputError):
    """Another process, or another thread, owns a folder."""


class TakenError(RunError):
    """A folder now belongs to another process."""


class Ownership:
    """A folder that this process owns."""

    def __init__(self, path: pathlib.Path, description: bytes):
        """Remembers what the owner's file holds as long as the folder is owned."""
        self._path, self._description = path, description

    def check(self) -> None:
        """Raises a TakenError if another process has taken the folder, or it was deleted."""
        try:
            found = self._path.read_bytes()
        except FileNotFoundError:
            owner = f"nobody, as {OWNER_FILE} is gone"
        else:
            if found == self._description:
                return
            owner = str(_parse(found))
        raise TakenError(
            f"{self._path.parent} now belongs to {owner}; this process writes nothing more into it"
        )


@contextlib.contextmanager
def owned(
    folder: pathlib.Path, *, trusts_file: bool = False, trusts_hosts: bool = False
) -> Iterator[Ownership]:
    """Owns a folder, which is created if it is missing.

    Args:
      folder: The folder.
      trusts_file: Whether, where there are no locks, an owner that the file names lives.
      trusts_hosts: Whether so does one on another machine, which locks may not reach.

    Raises:
      InUseError: Another process, or another thread, owns it.
      InputError: It cannot be written.
    """
    path = folder / OWNER_FILE
    description = _new_owner()
    with contextlib.ExitStack() as stack:
        with writing_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
            # Never replaced or deleted: locks on different files do not exclude each other.
            # Never a link, which in somebody's folder may lead to another file of the user.
            file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
            stack.callback(os.close, file)  # which drops the lock
            has_lock, content = _lock_soon(file), os.pread(file, _MOST_BYTES, 0)
            is_elsewhere = content and _parse(content).host != socket.gethostname()
            if (
                has_lock is False
                or (has_lock is None and trusts_file and content)
                or (trusts_hosts and is_elsewhere)
            ):
                raise InUseError(
                    f"{folder} is in use by {_parse(content)}: wait until that process has ended, "
                    "or choose another folder"
                )
            os.ftruncate(file, 0)
            os.write(file, description)
            os.fsync(file)
        stack.callback(_clear, file, description)
        yield Ownership(path, description)


def find_owner(folder: pathlib.Path) -> Owner | None:
    """Returns the owner of a folder, or None; this process counts like any other."""
    path = folder / OWNER_FILE
    with contextlib.suppress(OSError), path.open("rb") as file:  # no such file: no owner
        if lock(file.fileno(), is_shared=True) is False:
            return _parse(file.read(_MOST_BYTES))
    return None


def _lock_soon(file: int) -> bool | None:
    """Locks a file if it is free, or soon free; returns as `lock`."""
    has_lock = lock(file)
    if has_lock is False:
        time.sleep(_PAUSE_SECONDS)
        has_lock = lock(file)
    return has_lock


def _clear(file: int, description: bytes) -> None:
    """Empties the file of an owner that ends, unless another one has taken the folder."""
    with contextlib.suppress(OSError):
        if os.pread(file, _MOST_BYTES, 0) == description:
            os.ftruncate(file, 0)


def _new_owner() -> bytes:
    """Returns the content of the file of this process, with a token that no other one has."""
    owner = {
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "since": f"{datetime.datetime.now(datetime.UTC):{_TIME}}",
        "token": secrets.token_hex(16),
    }
    return json.dumps(owner).encode() + b"\n"


def _parse(content: bytes) -> Owner:
    """Returns the owner of the content of a file, which may be damaged, or just being written."""
    try:
        found = json.loads(content)
        since = datetime.datetime.strptime(found["since"], _TIME).replace(tzinfo=datetime.UTC)
        host, pid = str(found["host"]), found["pid"]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return Owner()
    is_process = isinstance(pid, int) and pid > 0  # others stand for groups of processes
    return Owner(host, pid, since.timestamp()) if is_process else Owner()
