"""The newest metrics of many runs: only the ends of their files are read."""

import os
import pathlib
from typing import NamedTuple

from azjax.runs.storage.metrics_log import is_metrics_row
from azjax.support.files.reading import parse_json
from azjax.support.files.tables import Row

_MOST_BYTES = 2**20  # that are read of a file's end


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


class NewestMetrics:
    """Reads the ends of metrics files, each again when it has changed."""

    def __init__(self):
        """Has read nothing yet."""
        self._known: dict[pathlib.Path, tuple[tuple[int, int], Newest]] = {}

    def read(self, file: pathlib.Path) -> Newest:
        """Returns the newest metrics in a file, which need not exist."""
        try:
            status = file.stat()
            stamp = status.st_mtime_ns, status.st_size
            known = self._known.get(file)
            if known is None or known[0] != stamp:
                known = stamp, _read_end(file, known[1] if known else NOTHING)
                self._known[file] = known
            return known[1]
        except OSError:
            return NOTHING


def parse_row(line: bytes) -> Row | None:
    """Returns the row of a line of metrics, or None if it is damaged."""
    try:
        row = parse_json(line.decode("utf-8"))
    except ValueError:
        return None
    return row if is_metrics_row(row) else None


def _read_end(file: pathlib.Path, before: Newest) -> Newest:
    with file.open("rb") as opened:
        changed_at = os.fstat(opened.fileno()).st_mtime
        opened.seek(max(0, opened.seek(0, os.SEEK_END) - _MOST_BYTES))
        lines = opened.read(_MOST_BYTES).split(b"\n")
    last: Row = {}
    for line in reversed(lines[:-1]):  # what follows the last newline is not written yet
        row = parse_row(line)
        last = last or row or {}
        if row and row.get("accuracy_search") is not None:
            return Newest(last, row, changed_at)
    evaluation = before.evaluation  # perhaps it is too far from the end by now
    if evaluation.get("iteration", 0) > last.get("iteration", 0):
        evaluation = {}
    return Newest(last, evaluation, changed_at)
