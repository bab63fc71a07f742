"""One owner of a folder at a time: a lock on its file `.owner`, and a token in that file.

The operating system drops the lock when the process ends, even when it is killed. On shared disks
some locks do not reach other machines. There a second process can take the folder, but it writes a
token of its own, and the former owner finds it before its next write.
"""

import contextlib
import datetime
import errno
import fcntl
import json
import os
import pathlib
import secrets
import socket
from collections.abc import Iterator

from azjax.support.errors import InputError, RunError

_FILE = ".owner"
_UNSUPPORTED = (errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOLCK, errno.EINVAL)  # by the file system


class Ownership:
    """A folder that this process owns."""

    def __init__(self, path: pathlib.Path, description: str):
        """Remembers what the file of the owner holds as long as the folder is owned."""
        self._path, self._description = path, description

    def check(self) -> None:
        """Raises RunError if another process has taken the folder: it must not be written to."""
        with contextlib.suppress(OSError):  # the file is gone
            if self._path.read_text(encoding="utf-8") == self._description:
                return
        raise RunError(
            f"{self._path.parent} now belongs to {_read_owner(self._path)}; "
            "this process writes nothing more into it"
        )


@contextlib.contextmanager
def owned(folder: pathlib.Path) -> Iterator[Ownership]:
    """Owns a folder, which is created if it is missing.

    Raises:
      InputError: Another process, or another thread, owns it; or it cannot be written.
    """
    path = folder / _FILE
    description = _describe_owner()
    with contextlib.ExitStack() as stack:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            # Never replaced or deleted: locks on different files do not exclude each other.
            file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
            stack.callback(os.close, file)  # which drops the lock
            if not _lock(file):
                raise InputError(
                    f"{folder} is in use by {_read_owner(path)}: wait until that process has "
                    "ended, or choose another folder"
                )
            os.ftruncate(file, 0)
            os.write(file, description.encode())
            os.fsync(file)
        except OSError as error:
            raise InputError(f"{folder} cannot be written: {error.strerror}") from error
        yield Ownership(path, description)


def find_owner(folder: pathlib.Path) -> str | None:
    """Returns the owner of a folder in words, or None; this process counts like any other."""
    path = folder / _FILE
    with contextlib.suppress(OSError), path.open("r+b") as file:  # no such file: no owner
        if not _lock(file.fileno()):
            return _read_owner(path)
    return None


def _lock(file: int) -> bool:
    """Locks a file if nobody else has; returns whether nobody has."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
    return True


def _describe_owner() -> str:
    now = datetime.datetime.now(datetime.UTC)
    owner = {
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "since": f"{now:%Y-%m-%d %H:%M:%S} UTC",
        "token": secrets.token_hex(16),
    }
    return json.dumps(owner) + "\n"


def _read_owner(path: pathlib.Path) -> str:
    """Returns who owns a folder, in words."""
    try:
        owner = json.loads(path.read_text(encoding="utf-8"))
        return f"process {owner['pid']} on {owner['host']} since {owner['since']}"
    except (OSError, ValueError, KeyError, TypeError):  # it is being written, or was deleted
        return "another process"
