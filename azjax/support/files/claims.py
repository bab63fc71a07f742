"""Claims of folders by workers that share them: a worker that gives no sign of life loses its own.

A claim is the ownership of a folder with a heartbeat, the time of its file `.owner`. Locks tell at
once that a worker of this machine is dead. For one of another machine, where locks may not reach,
and for one that is stopped, the heartbeat tells it some time later.
"""

import contextlib
import os
import pathlib
import socket
import threading
import time
from collections.abc import Iterator

from azjax.support.errors import reading_errors
from azjax.support.files.ownership import (
    OWNER_FILE,
    InUseError,
    Ownership,
    TakenError,
    find_owner,
    owned,
    read_owner,
)

BEAT_SECONDS = 5.0
GRACE_SECONDS = 60.0  # without a heartbeat, after which a worker seems dead
_SETTLING_SECONDS = 1.0  # after a folder was forced


class Claims:
    """The folders that a worker has claimed, and what it has seen of the heartbeats of others."""

    def __init__(self) -> None:
        """Claims nothing yet."""
        self._held: dict[pathlib.Path, contextlib.ExitStack] = {}
        self._seen: dict[pathlib.Path, tuple[int, float]] = {}  # a heartbeat, and since when

    def claim(self, folder: pathlib.Path) -> Ownership | None:
        """Returns the ownership of a folder, or None if another living worker or process has it.

        Raises:
          InputError: The folder cannot be read or written.
        """
        owner = read_owner(folder)
        is_dead = bool(owner and owner.beats) and self._seems_dead(folder)
        if owner and owner.beats and not is_dead:
            on_this_machine = owner.host == socket.gethostname() and not owner.was_forced
            if not on_this_machine or find_owner(folder):
                return None
        with contextlib.ExitStack() as stack:
            try:
                ownership = stack.enter_context(owned(folder, beats=True, force=is_dead))
                if is_dead:  # another worker may force it at the same time: the last one has it
                    time.sleep(_SETTLING_SECONDS)
                    ownership.check()
            except (InUseError, TakenError):
                return None
            self._held[folder] = stack.pop_all()
        return ownership

    def release(self, folder: pathlib.Path) -> None:
        """Gives a folder back."""
        self._held.pop(folder).close()

    def _seems_dead(self, folder: pathlib.Path) -> bool:
        """Tells whether the heartbeat of a folder's owner has stopped, as far as was seen."""
        with reading_errors(folder / OWNER_FILE):
            beat, now = _read_beat(folder), time.monotonic()
        before, since = self._seen.get(folder, (None, now))
        if beat != before:
            self._seen[folder] = (beat, now)
            return False
        return now - since >= GRACE_SECONDS

    def _beat_until(self, end: threading.Event) -> None:
        while not end.wait(BEAT_SECONDS):
            for folder in list(self._held):
                with contextlib.suppress(OSError):
                    os.utime(folder / OWNER_FILE)

    def _release_all(self) -> None:
        for folder in list(self._held):
            self.release(folder)


@contextlib.contextmanager
def claiming() -> Iterator[Claims]:
    """Yields claims, whose heartbeats are renewed in the block; at its end all are released."""
    claims, end = Claims(), threading.Event()
    beating = threading.Thread(target=claims._beat_until, args=(end,), daemon=True)
    beating.start()
    try:
        yield claims
    finally:
        end.set()
        beating.join()
        claims._release_all()


def _read_beat(folder: pathlib.Path) -> int:
    """Returns the time of the last heartbeat by the clock of the disk."""
    with (folder / OWNER_FILE).open("rb") as file:  # opened, as a shared disk caches times else
        return os.fstat(file.fileno()).st_mtime_ns
