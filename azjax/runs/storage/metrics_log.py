"""The log of a run's metrics: a line of JSON per iteration, and TensorBoard events."""

import contextlib
import itertools
import json
import pathlib
from typing import Any

from azjax.runs.storage.event_file import EventFile
from azjax.runs.storage.run_directory import RunDirectory
from azjax.support.errors import InputError, reading_errors
from azjax.support.files.atomic_files import append_line
from azjax.support.files.json_lines import read_json_lines
from azjax.support.files.tables import Row


def read_metrics(path: pathlib.Path) -> list[Row]:
    """Returns the rows of a metrics file; an incomplete last line is left out.

    Raises:
      InputError: The file cannot be read, or a row is damaged.
    """
    if not path.exists():
        return []
    with reading_errors(path):
        rows = read_json_lines(path)
    for line, row in enumerate(rows, 1):
        if not is_metrics_row(row):
            raise InputError(
                f"{path}, line {line}, is damaged: a row has numbers, among them iteration and "
                "seconds; delete it to read the others"
            )
    return rows


def last_without_gap(rows: list[Row]) -> int:
    """Returns the last iteration, or 0, up to which each iteration from 1 has its row."""
    logged = {row["iteration"] for row in rows}
    return next(i for i in itertools.count() if i + 1 not in logged)


def is_metrics_row(row: Any) -> bool:
    """Tells whether a value read from a line of metrics is a row of them."""
    return (
        isinstance(row, dict)
        and type(row.get("iteration")) is int
        and isinstance(row.get("seconds"), int | float)
        and all(value is None or isinstance(value, int | float) for value in row.values())
    )


class MetricsWriter:
    """Appends rows to a run's metrics, from a given iteration on."""

    def __init__(self, run: RunDirectory, iteration: int):
        """Opens the log, which ends with the row of `iteration`, or is empty.

        Raises:
          OSError: The log cannot be written.
        """
        self.rows = read_metrics(run.metrics)
        with contextlib.ExitStack() as stack:
            self._file = stack.enter_context(run.metrics.open("a", encoding="utf-8"))
            first = iteration + 1 if self.rows else 0
            self._events = EventFile(run.tensorboard, first)
            stack.callback(self._events.close)
            self._files = stack.pop_all()

    def write(self, row: Row) -> None:
        """Appends one row, which has a column `iteration`, and which is on disk then.

        Raises:
          OSError: It cannot be written.
        """
        append_line(self._file, json.dumps(row))
        self.rows.append(row)
        self._events.write(row)

    def sync(self) -> None:
        """Waits until TensorBoard's events are on disk, which are buffered.

        Raises:
          OSError: They cannot be written.
        """
        self._events.sync()

    def close(self) -> None:
        """Writes the buffered events and closes the files."""
        self._files.close()
