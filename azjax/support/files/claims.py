"""Claims of folders by workers that share them; the claims of a worker that dies are free.

Locks tell that a worker is dead, one of another machine too where the disk passes locks on. On a
disk without locks nobody can tell: what a dead worker has claimed there stays its own.
"""

import contextlib
import pathlib
from collections.abc import Iterator

from azjax.support.files.ownership import InUseError, Ownership, owned


class Claims:
    """The folders that a worker has claimed."""

    def __init__(self) -> None:
        """Claims nothing yet."""
        self._held: dict[pathlib.Path, contextlib.ExitStack] = {}

    def claim(self, folder: pathlib.Path) -> Ownership | None:
        """Returns the ownership of a folder, or None if another worker or process has it.

        Raises:
          InputError: The folder cannot be written.
        """
        with contextlib.ExitStack() as stack:
            try:
                ownership = stack.enter_context(owned(folder, trusts_file=True))
            except InUseError:
                return None
            self._held[folder] = stack.pop_all()
        return ownership

    def release(self, folder: pathlib.Path) -> None:
        """Gives a folder back."""
        self._held.pop(folder).close()


@contextlib.contextmanager
def claiming() -> Iterator[Claims]:
    """Yields claims; at the end of the block all are released."""
    claims = Claims()
    try:
        yield claims
    finally:
        for folder in list(claims._held):
            claims.release(folder)
