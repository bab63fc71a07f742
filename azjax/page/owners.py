"""The processes that own folders of runs and studies, watched without being in their way."""

import datetime
import pathlib
import re
from typing import NamedTuple

from azjax.support.ownership import find_owner

_FILE = ".owner"
_WORDS = re.compile(r"process (\d+) on (\S+) since (\S+ \S+) UTC")


class Owner(NamedTuple):
    """A process that owns a folder."""

    words: str  # such as `process 12 on laptop since 2026-01-31 12:00:00 UTC`
    pid: int | None  # None if the folder does not tell
    host: str
    since: float  # Unix time in seconds; 0 if the folder does not tell

    @property
    def name(self) -> str:
        """The owner in words, without the time."""
        return self.words.partition(" since ")[0]


def parse_owner(words: str) -> Owner:
    """Returns the owner of a folder from the words of `find_owner`."""
    found = _WORDS.fullmatch(words)
    if found is None:
        return Owner(words, None, "", 0.0)
    pid, host, since = found.groups()
    began = datetime.datetime.fromisoformat(f"{since}+00:00")
    return Owner(words, int(pid), host, began.timestamp())


class OwnerWatch:
    """Finds the owners of folders again and again.

    Who asks for the owner of a folder that has none holds its lock for a moment, in which a process
    that begins to train is refused. So a folder without an owner is asked again only after its
    owner's file has changed: an owner changes it when it has the lock.
    """

    def __init__(self):
        """Knows no folder yet."""
        self._free: dict[pathlib.Path, int] = {}  # when the owner's file had changed, by its folder

    def find(self, folder: pathlib.Path) -> Owner | None:
        """Returns the owner of a folder, or None."""
        try:
            changed = (folder / _FILE).stat().st_mtime_ns
        except OSError:  # it never had an owner
            return None
        if self._free.get(folder) == changed:
            return None
        words = find_owner(folder)
        if words is None:
            self._free[folder] = changed
            return None
        return parse_owner(words)
