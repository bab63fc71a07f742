"""The log of a run's metrics: a line of JSON per iteration, and TensorBoard events."""

import json
import pathlib
import time

from azjax.runs.storage.run_directory import RunDirectory
from azjax.support.atomic_files import append_line, write_text_atomically
from azjax.support.tables import Row


def read_metrics(path: pathlib.Path) -> list[Row]:
    """Returns the rows of a metrics file; an incomplete last line is left out."""
    if not path.exists():
        return []
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            rows.append(json.loads(line))
        except json.JSONDecodeError:
            break
    return rows


class MetricsWriter:
    """Appends rows to a run's metrics, from a given iteration on."""

    def __init__(self, run: RunDirectory, iteration: int):
        """Opens the log and drops the rows after `iteration`, which the run computes again."""
        # Not a SummaryWriter: behind its queue, a full disk blocks for ever.
        from tensorboardX.event_file_writer import EventsWriter

        self.rows = [row for row in read_metrics(run.metrics) if row["iteration"] <= iteration]
        write_text_atomically(run.metrics, "".join(f"{json.dumps(row)}\n" for row in self.rows))
        run.tensorboard.mkdir(exist_ok=True)
        self._file = run.metrics.open("a", encoding="utf-8")
        self._events = EventsWriter(str(run.tensorboard / "events"))

    def write(self, row: Row) -> None:
        """Appends one row, which has a column `iteration`."""
        from tensorboardX.proto.event_pb2 import Event
        from tensorboardX.summary import scalar

        self.rows.append(row)
        append_line(self._file, json.dumps(row))
        numbers = {k: v for k, v in row.items() if k != "iteration" and v is not None}
        for name, value in numbers.items():
            summary = scalar(name, value)
            self._events.write_event(
                Event(step=row["iteration"], wall_time=time.time(), summary=summary)
            )

    def close(self) -> None:
        """Writes the buffered events and closes the files."""
        self._file.close()
        self._events.close()
