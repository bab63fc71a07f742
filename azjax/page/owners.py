"""The processes that own folders of runs and studies, watched without being in their way."""

import pathlib
import threading

from azjax.support.files.ownership import OWNER_FILE, Owner, find_owner


class OwnerWatch:
    """Finds the owners of folders again and again.

    Who asks for the owner of a folder that has none holds its lock for a moment, and a process that
    begins to train must wait for it. So a folder without an owner is asked again only after its
    owner's file has changed: an owner changes it when it has the lock. Threads may share a watch:
    one asks at a time, else one could take another for the owner.
    """

    def __init__(self):
        """Knows no folder yet."""
        self._lock = threading.Lock()
        self._free: dict[pathlib.Path, int] = {}  # when the owner's file had changed, by its folder

    def find(self, folder: pathlib.Path) -> Owner | None:
        """Returns the owner of a folder, or None."""
        with self._lock:
            return self._find(folder)

    def _find(self, folder: pathlib.Path) -> Owner | None:
        try:
            changed = (folder / OWNER_FILE).stat().st_mtime_ns
        except OSError:  # it never had an owner
            return None
        if self._free.get(folder) == changed:
            return None
        owner = find_owner(folder)
        if owner is None:
            self._free[folder] = changed
        return owner
