"""The metrics of a run while it appends to them."""

import dataclasses
import pathlib
from collections.abc import Mapping

from azjax.page.newest_metrics import parse_row
from azjax.page.training.runs.curve import Curve, Point
from azjax.support.files.tables import Row

_MOST_BYTES = 16 * 2**20  # that are read at a time; the rest is read the next time
_MARK_BYTES = 256  # before the place where a reading ends, by which another file is known


@dataclasses.dataclass(frozen=True, eq=False)
class Metrics:
    """The metrics of a run so far."""

    curves: Mapping[str, tuple[Point, ...]] = dataclasses.field(default_factory=dict)  # by column
    error: str = ""  # of the first damaged line, which is left out


class MetricsTail:
    """Reads each row of a metrics file once, and keeps curves of its columns.

    A line that is not complete yet is read the next time. Where the file was replaced, as when a
    run goes on from an older checkpoint, it is read anew.
    """

    def __init__(self, path: pathlib.Path):
        """Takes the file, which need not exist."""
        self._path = path
        self._forget()

    def _forget(self) -> None:
        self._metrics = Metrics()
        self._curves: dict[str, Curve] = {}
        self._iteration = -1  # of the newest row
        self._error = ""
        self._offset, self._mark, self._num_lines = 0, b"", 0

    def read(self) -> Metrics:
        """Returns the metrics, the same object as long as nothing was appended."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._offset - len(self._mark))
                if file.read(len(self._mark)) != self._mark:
                    file.seek(0)
                    self._forget()
                content = file.read(_MOST_BYTES)
        except FileNotFoundError:
            return self._metrics
        except OSError as error:
            reason = f"{self._path.name} cannot be read: {error.strerror}"
            return dataclasses.replace(self._metrics, error=reason)
        if self._take(content):
            curves = {name: tuple(curve.points()) for name, curve in self._curves.items()}
            self._metrics = Metrics(curves, self._error)
        return self._metrics

    def _take(self, content: bytes) -> bool:
        """Takes the complete lines of what was read; returns whether there are any."""
        end = content.rfind(b"\n") + 1
        if not end and len(content) == _MOST_BYTES:
            end = len(content)  # it is no line of metrics, and would be read again and again
        if not end:
            return False
        for line in content[:end].splitlines():
            self._num_lines += 1
            if line.strip():
                self._take_line(line)
        self._offset += end
        self._mark = (self._mark + content[:end])[-_MARK_BYTES:]
        return True

    def _take_line(self, line: bytes) -> None:
        row = parse_row(line)
        if row is not None:
            self._take_row(row)
        elif not self._error:
            self._error = f"line {self._num_lines} of {self._path.name} is damaged and left out"

    def _take_row(self, row: Row) -> None:
        iteration, minutes = row["iteration"], row["seconds"] / 60
        if iteration <= self._iteration:  # the run has gone back
            for curve in self._curves.values():
                curve.drop_from(iteration)
        self._iteration = iteration
        for name, value in row.items():
            if value is not None:
                curve = self._curves.setdefault(name, Curve())
                curve.add(Point(iteration, minutes, float(value)))
