"""Metrics on disk: a line of JSON per iteration, and the same for TensorBoard."""

import json
import pathlib
from typing import Any

from azjax.runs.folder import RunFolder

Row = dict[str, Any]


def read_metrics(path: pathlib.Path) -> list[Row]:
    """Returns the rows of a metrics file; a last line that was cut off in writing is left out."""
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

    def __init__(self, run: RunFolder, iteration: int):
        """Forgets the rows after `iteration`: the run is about to make them again."""
        from tensorboardX import SummaryWriter

        self.rows = [row for row in read_metrics(run.metrics) if row["iteration"] <= iteration]
        run.metrics.write_text("".join(map(_line, self.rows)), encoding="utf-8")
        self._file = run.metrics.open("a", encoding="utf-8")
        self._events = SummaryWriter(str(run.tensorboard), purge_step=iteration + 1)

    def write(self, row: Row) -> None:
        """Appends one row, which has an `iteration`."""
        self.rows.append(row)
        self._file.write(_line(row))
        self._file.flush()
        for name, value in row.items():
            if name != "iteration" and value is not None:
                self._events.add_scalar(name, value, row["iteration"])

    def close(self) -> None:
        """Writes out what is buffered."""
        self._file.close()
        self._events.close()


def _line(row: Row) -> str:
    return json.dumps(row) + "\n"
