"""The metrics of runs while they append to them: their newest rows, and curves of their columns."""

import dataclasses
import functools
import os
import pathlib
import threading
from collections.abc import Mapping
from typing import NamedTuple

from azjax.runs.storage.metrics_log import is_metrics_row
from azjax.support.files.reading import parse_json
from azjax.support.files.tables import Row

MOST_POINTS = 500  # of a curve
_MOST_BYTES_OF_END = 2**20  # that are read for the newest rows
_MOST_BYTES = 16 * 2**20  # that are read at a time for curves; the rest is read the next time
_MARK_BYTES = 256  # before the place where a reading ends, by which another file is known


def parse_row(line: bytes) -> Row | None:
    """Returns the row of a line of metrics, or None if it is damaged."""
    try:
        row = parse_json(line.decode("utf-8"))
    except ValueError:
        return None
    return row if is_metrics_row(row) else None


class Newest(NamedTuple):
    """What a run has written last."""

    last: Row  # empty before the first
    evaluation: Row  # the newest with an accuracy; empty if there is none near the end
    changed_at: float  # Unix time in seconds; 0 without a file

    @property
    def iteration(self) -> int:
        """The newest iteration; 0 before the first."""
        return self.last.get("iteration", 0)


NOTHING = Newest({}, {}, 0.0)


def read_newest(file: pathlib.Path) -> Newest:
    """Returns the newest metrics in a file, which need not exist; only its end is read."""
    try:
        status = file.stat()
        return _read_end(file, status.st_mtime_ns, status.st_size)
    except OSError:
        return NOTHING


@functools.lru_cache(4096)
def _read_end(file: pathlib.Path, changed: int, size: int) -> Newest:
    """Returns the newest metrics in a file, read again when it has changed."""
    del changed, size
    with file.open("rb") as opened:
        changed_at = os.fstat(opened.fileno()).st_mtime
        opened.seek(max(0, opened.seek(0, os.SEEK_END) - _MOST_BYTES_OF_END))
        lines = opened.read(_MOST_BYTES_OF_END).split(b"\n")
    last: Row = {}
    for line in reversed(lines[:-1]):  # what follows the last newline is not written yet
        row = parse_row(line)
        last = last or row or {}
        if row and row.get("accuracy_search") is not None:
            return Newest(last, row, changed_at)
    return Newest(last, {}, changed_at)


class Point(NamedTuple):
    """A value of one column, and how far the run was then."""

    value: float
    iteration: int
    minutes: float  # of training
    positions: int = 0  # of self-play so far
    simulations: int = 0


class Curve:
    """The values of one column of a run's metrics: all, or every second, fourth, ... of many."""

    def __init__(self):
        self._kept: list[Point] = []
        self._newest: Point | None = None
        self._stride, self._count = 1, 0

    def add(self, point: Point) -> None:
        """Adds a point of a later iteration."""
        if self._count % self._stride == 0:
            self._kept.append(point)
        self._newest = point
        self._count += 1
        if len(self._kept) >= MOST_POINTS:
            self._kept = self._kept[::2]
            self._stride *= 2

    def points(self) -> tuple[Point, ...]:
        """Returns at most MOST_POINTS points, the newest among them."""
        if self._newest is None or self._kept[-1] == self._newest:
            return tuple(self._kept)
        return (*self._kept, self._newest)


@dataclasses.dataclass(frozen=True, eq=False)
class Metrics:
    """The metrics of a run so far."""

    curves: Mapping[str, tuple[Point, ...]] = dataclasses.field(default_factory=dict)  # by column
    error: str = ""  # of the first damaged line, which is left out


class MetricsTail:
    """Reads each row of a metrics file once, and keeps curves of its columns.

    A line that is not complete yet is read the next time. Where the file was replaced, as when a
    run goes on from an older checkpoint, it is read anew. Threads may share a tail.
    """

    def __init__(self, path: pathlib.Path):
        self._path, self._lock = path, threading.Lock()
        self._forget()

    def _forget(self) -> None:
        self._metrics = Metrics()
        self._curves: dict[str, Curve] = {}
        self._error = ""
        self._offset, self._mark, self._num_lines = 0, b"", 0
        self._positions = self._simulations = 0

    def read(self) -> Metrics:
        """Returns the metrics, the same object as long as nothing was appended."""
        with self._lock:
            try:
                content = self._read_on()
            except FileNotFoundError:
                return self._metrics
            except OSError as error:
                reason = f"{self._path.name} cannot be read: {error.strerror}"
                return dataclasses.replace(self._metrics, error=reason)
            if self._take(content):
                curves = {name: curve.points() for name, curve in self._curves.items()}
                self._metrics = Metrics(curves, self._error)
            return self._metrics

    def _read_on(self) -> bytes:
        """Returns what follows the place where the last reading has ended."""
        with self._path.open("rb") as file:
            file.seek(self._offset - len(self._mark))
            if file.read(len(self._mark)) != self._mark:
                file.seek(0)
                self._forget()
            return file.read(_MOST_BYTES)

    def _take(self, content: bytes) -> bool:
        """Takes the complete lines of what was read; returns whether there are any."""
        end = content.rfind(b"\n") + 1
        if not end and len(content) == _MOST_BYTES:
            end = len(content)  # it is no line of metrics, and would be read again and again
        for line in content[:end].splitlines():
            self._num_lines += 1
            if line.strip():
                self._take_line(line)
        self._offset += end
        self._mark = (self._mark + content[:end])[-_MARK_BYTES:]
        return end > 0

    def _take_line(self, line: bytes) -> None:
        row = parse_row(line)
        if row is None:
            damage = f"line {self._num_lines} of {self._path.name} is damaged and left out"
            self._error = self._error or damage
            return
        before, self._positions = self._positions, row.get("positions") or self._positions
        searched = (self._positions - before) * (row.get("simulations_per_move") or 0)
        self._simulations += round(searched)
        at = row["iteration"], row["seconds"] / 60, self._positions, self._simulations
        for name, value in row.items():
            if value is not None:
                self._curves.setdefault(name, Curve()).add(Point(float(value), *at))
