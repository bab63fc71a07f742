"""A curve of which a bounded number of points is kept."""

from typing import NamedTuple

MOST_POINTS = 500


class Point(NamedTuple):
    """A value of one column."""

    iteration: int
    minutes: float  # of training
    value: float


class Curve:
    """The values of one column of a run's metrics: all, or every second, fourth, ... of many."""

    def __init__(self):
        """Has no point yet."""
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

    def drop_from(self, iteration: int) -> None:
        """Drops the points from an iteration on."""
        self._kept = [point for point in self._kept if point.iteration < iteration]
        self._newest = self._kept[-1] if self._kept else None
        self._count = len(self._kept) * self._stride

    def points(self) -> list[Point]:
        """Returns at most MOST_POINTS points, the newest among them."""
        if self._newest is None or self._kept[-1] == self._newest:
            return list(self._kept)
        return [*self._kept, self._newest]
