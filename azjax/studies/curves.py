"""Learning curves of several seeds on one grid, by interpolation between their evaluations."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from azjax.evaluation import describe_kind, estimate_share
from azjax.studies.answers import StudyAnswers, scores_of
from azjax.support.files.tables import Row


class Curve(NamedTuple):
    """A result of one run along an axis, at its evaluations."""

    x: np.ndarray  # [evaluations]
    y: np.ndarray  # [evaluations], or [evaluations, P] with the answers in P sampled positions


class Band(NamedTuple):
    """The mean over seeds along an axis, with its intervals or with the range of the seeds."""

    x: np.ndarray  # [points]
    mean: np.ndarray  # [points]
    low: np.ndarray  # [points]
    high: np.ndarray  # [points]
    is_marked: np.ndarray  # [points] bool: the evaluations of one seed, the one with the most
    kind: str  # of the band, as of an `Estimate`


def curves_of(
    evaluations: Iterable[Row], cell: str, axis: str, metric: str, answers: StudyAnswers
) -> list[Curve]:
    """Returns the curve of each seed of a cell.

    Evaluations without the metric are left out.
    """
    by_seed: dict[int, list[Row]] = {}
    for row in evaluations:
        if row["cell"] == cell and row.get(metric) not in (None, ""):
            by_seed.setdefault(row["seed"], []).append(row)
    return [
        Curve(np.array([row[axis] for row in rows]), scores_of(rows, metric, answers))
        for rows in by_seed.values()
    ]


def band(curves: list[Curve]) -> Band:
    """Returns the band over seeds, on the part of the axis that all curves cover.

    Its points are the evaluations of all seeds. It is empty where a seed failed before another
    one's first evaluation.
    """
    start, end = common_start(curves), common_end(curves)
    evaluated = [x[(start <= x) & (x <= end)] for x, _ in curves]
    x = np.unique(np.concatenate(evaluated))
    estimates = [estimate_share(scores) for scores in interpolate(curves, x)]
    mean, low, high = (np.array([e[column] for e in estimates]) for column in range(3))
    is_marked = np.isin(x, max(evaluated, key=len))
    return Band(x, mean, low, high, is_marked, describe_kind(len(curves)))


def common_start(curves: list[Curve]) -> float:
    """Returns the first point of the axis that every curve covers."""
    return max(x[0] for x, _ in curves)


def common_end(curves: list[Curve]) -> float:
    """Returns the last point of the axis that every curve covers."""
    return min(x[-1] for x, _ in curves)


def interpolate(curves: list[Curve], points: np.ndarray) -> np.ndarray:
    """Returns [points, seeds] or [points, seeds, P]: the curves at points [points] of the axis."""
    return np.stack([_interpolate(curve, points) for curve in curves], axis=1)


def _interpolate(curve: Curve, points: np.ndarray) -> np.ndarray:
    """Returns the values at points, each between those of the evaluations before and after it."""
    place = np.interp(points, curve.x, np.arange(len(curve.x)))
    before = np.floor(place).astype(int)
    after = np.ceil(place).astype(int)
    weight = (place - before).reshape(-1, *[1] * (curve.y.ndim - 1))
    return (1 - weight) * curve.y[before] + weight * curve.y[after]
