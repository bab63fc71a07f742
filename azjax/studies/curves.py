"""Learning curves of several seeds on one grid, by interpolation between their evaluations."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from azjax.studies.statistics import bootstrap_interval, interquartile_mean
from azjax.support.tables import Row

_NUM_POINTS = 60


class Band(NamedTuple):
    """The interquartile mean over seeds along an axis, with its 95% interval."""

    x: np.ndarray  # [points]
    mean: np.ndarray  # [points]
    low: np.ndarray  # [points]
    high: np.ndarray  # [points]


def curves_of(evaluations: Iterable[Row], cell: str, axis: str, metric: str) -> list[np.ndarray]:
    """Returns for each seed of a cell [2, evaluations]: the axis, and the metric along it."""
    by_seed: dict[int, list[tuple[float, float]]] = {}
    for row in evaluations:
        if row["cell"] == cell:
            by_seed.setdefault(row["seed"], []).append((row[axis], row[metric]))
    return [np.array(points).T for points in by_seed.values()]


def band(curves: list[np.ndarray]) -> Band:
    """Returns the band over seeds, on the part of the axis that all curves cover.

    It is empty where a seed failed before another one's first evaluation.
    """
    start, end = common_start(curves), common_end(curves)
    x = np.linspace(start, end, _NUM_POINTS if start <= end else 0)
    values = interpolate(curves, x)[:, None, :]  # one task
    return Band(x, interquartile_mean(values), *bootstrap_interval(interquartile_mean, values))


def common_start(curves: list[np.ndarray]) -> float:
    """Returns the first point of the axis that every curve covers."""
    return max(x[0] for x, _ in curves)


def common_end(curves: list[np.ndarray]) -> float:
    """Returns the last point of the axis that every curve covers."""
    return min(x[-1] for x, _ in curves)


def interpolate(curves: list[np.ndarray], x: np.ndarray | float) -> np.ndarray:
    """Returns [..., seeds]: each curve's values at points x [...] of its axis, interpolated."""
    return np.stack([np.interp(x, *curve) for curve in curves], axis=-1)
