"""The share of its budget that a run has done at the start of each iteration.

The learning rate follows it. Seconds differ from session to session, so the shares of a run that
is limited in minutes are part of what reproduces it.
"""

import pathlib
from collections.abc import Sequence

import numpy as np

from azjax.support.errors import InputError, reading_errors
from azjax.support.files.atomic_files import append_line, write_text_atomically
from azjax.support.files.bounded_files import read_text


def read_budget_shares(path: pathlib.Path) -> list[float]:
    """Returns the shares in a file, one per iteration; an incomplete last line is left out.

    Raises:
      InputError: The file cannot be read, or a line of it is no share.
    """
    with reading_errors(path):
        text = read_text(path) if path.exists() else ""
        shares = [float(line) for line in text.splitlines(keepends=True) if line[-1] == "\n"]
    if any(not 0 <= share <= 1 for share in shares):
        raise InputError(f"{path} is damaged: every line must be a share, from 0 to 1")
    return shares


def share_lines(shares: Sequence[float]) -> str:
    """Returns a text with a line for each share."""
    return "".join(f"{share}\n" for share in shares)


def write_budget_shares(path: pathlib.Path, shares: Sequence[float]) -> None:
    """Writes a file of shares in one step."""
    write_text_atomically(path, share_lines(shares))


class BudgetShares:
    """The shares of a run, each recorded before its iteration; they never fall."""

    def __init__(self, path: pathlib.Path, iteration: int):
        """Opens the file, without an incomplete line, of a run that goes on after an iteration.

        Raises:
          InputError: The file is damaged, or lacks iterations that the run has done.
        """
        self._shares = read_budget_shares(path)
        if len(self._shares) < iteration:
            raise InputError(
                f"{path.parent} can be played, but not continued: {path.name} records the learning "
                f"rate's schedule of {len(self._shares)} of {iteration} iterations"
            )
        self._file = path.open("a", encoding="ascii")

    def begin(self, iteration: int, share_done: float) -> float:
        """Returns the share of an iteration, from 1, which is on disk then.

        One that is recorded is repeated. A new one is the share that is done, but not less than the
        one before: where a budget has been raised, the learning rate must not rise.

        Raises:
          OSError: It cannot be written.
        """
        if iteration > len(self._shares):
            last = self._shares[-1] if self._shares else 0.0
            share = max(last, float(np.float32(share_done)))  # as the compiled program takes it
            append_line(self._file, str(share))
            self._shares.append(share)
        return self._shares[iteration - 1]

    def close(self) -> None:
        """Closes the file."""
        self._file.close()
