"""Learning curves of several seeds on one grid: between the looks there are, and never beyond."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from azjax.studies.statistics import bootstrap_interval, interquartile_mean
from azjax.support.tables import Row

_POINTS = 60


class Band(NamedTuple):
    """The interquartile mean over seeds along an axis, with its 95% interval."""

    x: np.ndarray  # [points]
    mean: np.ndarray  # [points]
    low: np.ndarray  # [points]
    high: np.ndarray  # [points]


def curves_of(evaluations: Iterable[Row], cell: str, axis: str, metric: str) -> list[np.ndarray]:
    """Returns for each seed of a cell [2, looks]: points of the axis, and what was seen there."""
    by_seed: dict[int, list[tuple[float, float]]] = {}
    for row in evaluations:
        if row["cell"] == cell:
            by_seed.setdefault(row["seed"], []).append((row[axis], row[metric]))
    return [np.array(points).T for points in by_seed.values()]


def band(curves: list[np.ndarray]) -> Band:
    """Returns the band over seeds, from where all have begun to where the first one ends."""
    begin, end = common_begin(curves), common_end(curves)
    x = np.linspace(begin, end, _POINTS if begin <= end else 0)  # a seed may fail early
    values = values_at(curves, x)[:, None, :]  # one task
    return Band(x, interquartile_mean(values), *bootstrap_interval(interquartile_mean, values))


def common_begin(curves: list[np.ndarray]) -> float:
    """Returns the first point of the axis at which every curve has begun."""
    return max(x[0] for x, _ in curves)


def common_end(curves: list[np.ndarray]) -> float:
    """Returns the furthest point of the axis that every curve reaches."""
    return min(x[-1] for x, _ in curves)


def values_at(curves: list[np.ndarray], x: np.ndarray) -> np.ndarray:
    """Returns [..., seeds]: each curve's values at points of its axis, by linear interpolation."""
    return np.stack([np.interp(x, *curve) for curve in curves], axis=-1)
