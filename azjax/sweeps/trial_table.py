"""The table of a sweep's trials, `trials.csv`, as its report leaves it for readers."""

import pathlib
import shlex
from typing import NamedTuple

from azjax.support.errors import reading_errors
from azjax.support.files.tables import Row, read_table

TABLE = "trials.csv"
BEST = "best.toml"  # the best trial's configuration
_LAST = "run"  # of the columns before those of the swept fields


class TrialTable(NamedTuple):
    """The trials of a sweep, at least one of which is finished."""

    rows: list[Row]  # by trial
    swept: tuple[str, ...]  # the swept fields whose values are numbers
    best: Row  # the finished trial with the highest score
    command: str  # that trains with the best trial's values; empty if its preset is missing

    def scores(self, state: str, column: str, field: str) -> list[tuple[int, float, float]]:
        """Returns of trials in a state the number, a field's value, and the value of a column."""
        rows = [x for x in self.rows if x["state"] == state and x.get(column) not in ("", None)]
        return [(row["trial"], row[field], row[column]) for row in rows]


def read_trials(folder: pathlib.Path) -> TrialTable | None:
    """Returns the trials of a sweep's folder, or None if it holds none that is finished.

    Raises:
      InputError: The table is damaged.
    """
    if not (folder / TABLE).is_file():
        return None
    rows = read_table(folder / TABLE)
    with reading_errors(folder / TABLE):
        finished = [row for row in rows if isinstance(row["score"], int | float)]
        names = [*rows[0]][[*rows[0]].index(_LAST) + 1 :] if rows else []
        swept = [x for x in names if all(isinstance(row[x], int | float) for row in rows)]
        if not finished:
            return None
        best = max(finished, key=lambda row: row["score"])
    preset = folder / BEST
    command = shlex.join(["azjax", "train", str(preset)]) if preset.is_file() else ""
    return TrialTable(rows, tuple(swept), best, command)
