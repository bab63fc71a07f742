"""The log of a run's metrics: a line of JSON per iteration, and TensorBoard events."""

import json
import pathlib
import time
from typing import Any

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


def is_metrics_row(row: Any) -> bool:
    """Tells whether a value read from a line of metrics is a row of them."""
    return (
        isinstance(row, dict)
        and type(row.get("iteration")) is int
        and isinstance(row.get("seconds"), int | float)
        and all(value is None or isinstance(value, int | float) for value in row.values())
    )


class MetricsWriter:
    """Appends rows to a run's metrics, or raises OSError."""

    def __init__(self, run: RunDirectory, iteration: int):
        """Opens the log, which ends with the row of `iteration`, or is empty."""
        self.rows = read_metrics(run.metrics)
        self._file = run.metrics.open("a", encoding="utf-8")
        self._events = EventFile(run.tensorboard, iteration + 1 if self.rows else 0)

    def write(self, row: Row) -> None:
        """Appends one row, which has a column `iteration`, and which is on disk then."""
        append_line(self._file, json.dumps(row))
        self.rows.append(row)
        self._events.write(row)

    def sync(self) -> None:
        """Waits until TensorBoard's events are on disk, which are buffered."""
        self._events.flush()

    def close(self) -> None:
        """Writes the buffered events and closes the files."""
        self._file.close()  # each of its lines is on disk already
        self._events.close()


class EventFile:
    """The TensorBoard events of one session, which begin with where the session begins."""

    def __init__(self, folder: pathlib.Path, first_iteration: int):
        """Creates a file in a folder, which is created if missing.

        What earlier sessions wrote of `first_iteration` and later ones is computed again:
        TensorBoard drops it when it reads the start of this session.
        """
        # Not a SummaryWriter: behind its queue, a full disk blocks for ever.
        from tensorboardX.event_file_writer import EventsWriter
        from tensorboardX.proto.event_pb2 import SessionLog

        folder.mkdir(exist_ok=True)
        # TensorBoard reads the files in the order of their names.
        self._writer = EventsWriter(str(folder / f"events.out.tfevents.{time.time():.6f}"))
        self._write(step=first_iteration, session_log=SessionLog(status=SessionLog.START))
        self.flush, self.close = self._writer.flush, self._writer.close

    def write(self, row: Row) -> None:
        """Adds the numbers of a row, which has a column `iteration`; they may wait in a buffer."""
        from tensorboardX.summary import scalar

        for name, value in row.items():
            if name != "iteration" and value is not None:
                self._write(step=row["iteration"], summary=scalar(name, value))

    def _write(self, **fields: Any) -> None:
        from tensorboardX.proto.event_pb2 import Event

        self._writer.write_event(Event(wall_time=time.time(), **fields))
