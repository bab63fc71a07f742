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
from typing import NamedTuple

from azjax.support.errors import reading_errors
from azjax.support.files.ownership import (
    OWNER_FILE,
    InUseError,
    Ownership,
    TakenError,
    owned,
    read_owner,
)

BEAT_SECONDS = 5.0
GRACE_SECONDS = 60.0  # without a heartbeat, after which a worker seems dead
_SETTLING_SECONDS = 1.0  # after a folder was forced


class _Heartbeat(NamedTuple):
    """What a worker has seen of the heartbeat of another."""

    beat: int  # the time of the file, by the clock of the disk
    since: float  # when it was first seen, by this worker's clock
    looked: float  # when it was last seen


class Claims:
    """The folders that a worker has claimed, and what it has seen of the heartbeats of others."""

    def __init__(self) -> None:
        """Claims nothing yet."""
        self._held: dict[pathlib.Path, tuple[Ownership, contextlib.ExitStack]] = {}
        self._seen: dict[pathlib.Path, _Heartbeat] = {}

    def claim(self, folder: pathlib.Path) -> Ownership | None:
        """Returns the ownership of a folder, or None if another living worker or process has it.

        Raises:
          InputError: The folder cannot be read or written.
        """
        dead = None
        if (owner := read_owner(folder)) and owner.beats:
            has_lock = owner.host == socket.gethostname() and not owner.was_forced
            if self._seems_dead(folder):
                dead = owner
            elif not has_lock:  # which would tell whether it lives
                return None
        with contextlib.ExitStack() as stack:
            try:
                ownership = stack.enter_context(owned(folder, beats=True, dead=dead))
                if dead:  # another worker may force it at the same time: the last one has it
                    time.sleep(_SETTLING_SECONDS)
                    ownership.check()
            except (InUseError, TakenError):
                return None
            self._held[folder] = ownership, stack.pop_all()
        return ownership

    def release(self, folder: pathlib.Path) -> None:
        """Gives a folder back."""
        _, stack = self._held.pop(folder)
        stack.close()

    def _seems_dead(self, folder: pathlib.Path) -> bool:
        """Tells whether the heartbeat of a folder's owner has stopped, as far as was seen.

        Where this worker has not looked for long, it may have been stopped itself, so it looks for
        as long again.
        """
        now, path = time.monotonic(), folder / OWNER_FILE
        # Opened, as a shared disk caches times else.
        with reading_errors(path), path.open("rb") as file:
            beat = os.fstat(file.fileno()).st_mtime_ns
        seen = self._seen.get(folder)
        if seen is None or seen.beat != beat or now - seen.looked > GRACE_SECONDS:
            seen = _Heartbeat(beat, since=now, looked=now)
        self._seen[folder] = seen._replace(looked=now)
        return now - seen.since > GRACE_SECONDS

    def _beat_until(self, end: threading.Event) -> None:
        while not end.wait(BEAT_SECONDS):
            for folder, (ownership, _) in list(self._held.items()):
                with contextlib.suppress(OSError, TakenError):
                    ownership.check()  # a folder that another worker has taken is not kept alive
                    os.utime(folder / OWNER_FILE)


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
        for folder in list(claims._held):
            claims.release(folder)
