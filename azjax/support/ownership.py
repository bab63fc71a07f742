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
from collections.abc import Iterator

from azjax.support.errors import InputError, RunError, writing_errors
from azjax.support.file_locks import try_lock

_FILE = ".owner"
_MOST_BYTES = 4096  # that are read of it


class Ownership:
    """A folder that this process owns."""

    def __init__(self, path: pathlib.Path, description: bytes):
        """Remembers what the file of the owner holds as long as the folder is owned."""
        self._path, self._description = path, description

    def check(self) -> None:
        """Checks that nothing is overwritten that another process has written.

        Raises:
          RunError: Another process has taken the folder, or it was deleted.
          OSError: The disk cannot be read.
        """
        try:
            found = self._path.read_bytes()
        except FileNotFoundError:
            owner = f"nobody, as {_FILE} is gone"
        else:
            if found == self._description:
                return
            owner = _describe(found)
        raise RunError(
            f"{self._path.parent} now belongs to {owner}; this process writes nothing more into it"
        )


@contextlib.contextmanager
def owned(folder: pathlib.Path) -> Iterator[Ownership]:
    """Owns a folder, which is created if it is missing.

    Raises:
      InputError: Another process, or another thread, owns it; or it cannot be written.
    """
    path = folder / _FILE
    description = _new_owner()
    with contextlib.ExitStack() as stack:
        with writing_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
            # Never replaced or deleted: locks on different files do not exclude each other.
            # Never a link, which in somebody's folder may lead to another file of the user.
            file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
            stack.callback(os.close, file)  # which drops the lock
            if not try_lock(file):
                owner = _describe(os.read(file, _MOST_BYTES))
                raise InputError(
                    f"{folder} is in use by {owner}: wait until that process has ended, or choose "
                    "another folder"
                )
            os.ftruncate(file, 0)
            os.write(file, description)
            os.fsync(file)
        yield Ownership(path, description)


def find_owner(folder: pathlib.Path) -> str | None:
    """Returns the owner of a folder in words, or None; this process counts like any other."""
    path = folder / _FILE
    with contextlib.suppress(OSError), path.open("r+b") as file:  # no such file: no owner
        if not try_lock(file.fileno()):
            return _describe(file.read(_MOST_BYTES))
    return None


def _new_owner() -> bytes:
    """Returns the content of the file of this process, with a token that no other one has."""
    now = datetime.datetime.now(datetime.UTC)
    owner = {
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "since": f"{now:%Y-%m-%d %H:%M:%S} UTC",
        "token": secrets.token_hex(16),
    }
    return json.dumps(owner).encode() + b"\n"


def _describe(content: bytes) -> str:
    """Returns in words who an owner is; the file may be damaged, or just being written."""
    try:
        owner = json.loads(content)
        return f"process {owner['pid']} on {owner['host']} since {owner['since']}"
    except (ValueError, KeyError, TypeError, RecursionError):
        return "another process"
