"""Learning curves of several seeds on one grid, by interpolation between their evaluations."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from azjax.studies.statistics import bootstrap_interval, interquartile_mean
from azjax.support.tables import Row


class Band(NamedTuple):
    """The interquartile mean over seeds along an axis, with its 95% interval."""

    x: np.ndarray  # [points]
    mean: np.ndarray  # [points]
    low: np.ndarray  # [points]
    high: np.ndarray  # [points]
    is_marked: np.ndarray  # [points] bool: the evaluations of one seed, the one with the most


def curves_of(evaluations: Iterable[Row], cell: str, axis: str, metric: str) -> list[np.ndarray]:
    """Returns for each seed of a cell [2, evaluations]: the axis, and the metric along it.

    Evaluations without the metric are left out.
    """
    by_seed: dict[int, list[tuple[float, float]]] = {}
    for row in evaluations:
        if row["cell"] == cell and row.get(metric) not in (None, ""):
            by_seed.setdefault(row["seed"], []).append((row[axis], row[metric]))
    return [np.array(points).T for points in by_seed.values()]


def band(curves: list[np.ndarray]) -> Band:
    """Returns the band over seeds, on the part of the axis that all curves cover.

    Its points are the evaluations of all seeds. It is empty where a seed failed before another
    one's first evaluation.
    """
    start, end = common_start(curves), common_end(curves)
    evaluated = [x[(start <= x) & (x <= end)] for x, _ in curves]
    x = np.unique(np.concatenate(evaluated))
    values = interpolate(curves, x)[:, None, :]  # one task
    low, high = bootstrap_interval(interquartile_mean, values)
    is_marked = np.isin(x, max(evaluated, key=len))
    return Band(x, interquartile_mean(values), low, high, is_marked)


def common_start(curves: list[np.ndarray]) -> float:
    """Returns the first point of the axis that every curve covers."""
    return max(x[0] for x, _ in curves)


def common_end(curves: list[np.ndarray]) -> float:
    """Returns the last point of the axis that every curve covers."""
    return min(x[-1] for x, _ in curves)


def interpolate(curves: list[np.ndarray], x: np.ndarray | float) -> np.ndarray:
    """Returns [..., seeds]: each curve's values at points x [...] of its axis, interpolated."""
    return np.stack([np.interp(x, *curve) for curve in curves], axis=-1)
