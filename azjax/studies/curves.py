"""The evaluations of a study's runs, and their learning curves: several seeds on one grid."""

import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from azjax.evaluation import describe_kind, estimate_share
from azjax.runs.storage.metrics_log import read_metrics
from azjax.runs.storage.run_folders import open_run
from azjax.studies.answers import StudyAnswers, scores_of
from azjax.studies.study import COMMON_SEARCH, EXPLOITABILITY, NETWORK, Study
from azjax.support.files.tables import Row
from azjax.training import TrainConfig
from azjax.training.operations import count_iteration

AXES = ("positions", "evaluations", "samples", "operations", "seconds")
_COLUMNS = ("iteration", *AXES, "gating_seconds", COMMON_SEARCH, NETWORK)
_DATA = ("policy_entropy", "distinct_positions")  # of self-play, missing before the first iteration


def read_evaluations(study: Study) -> list[Row]:
    """Returns a row for each evaluation, by cell and seed, in the order of iterations.

    Evaluations are those of the network in self-play: one for each simulation, and one for each
    position; None where replay is a file's. Samples are what it has learnt from, with a forward and
    a backward pass each. Operations are of self-play and learning, reanalysing included and the
    matches of gating left out; None where the program does not tell them. The seconds are the time
    of training, without compiling, evaluation and saving.
    """
    return [
        {"cell": cell.name, **cell.factors, "seed": seed}
        | {name: row[name] for name in _COLUMNS}
        | {name: row.get(name) for name in _DATA}
        | {name: row[name] for name in (EXPLOITABILITY,) if name in row}
        for cell in study.cells
        for seed in study.seeds
        for row in _with_work(
            read_metrics(open_run(study.run_path(cell.name, seed)).metrics), cell.config.train
        )
        if row.get(COMMON_SEARCH) is not None
    ]


def final_evaluations(evaluations: list[Row]) -> list[Row]:
    """Returns the last evaluation of each run."""
    return list({(row["cell"], row["seed"]): row for row in evaluations}.values())


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
    """Returns the curve of each seed of a cell, without the evaluations that lack the metric."""
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
    """Returns the values at points, each between the evaluations before and after it."""
    place = np.interp(points, curve.x, np.arange(len(curve.x)))
    before, after = np.floor(place).astype(int), np.ceil(place).astype(int)
    weight = (place - before).reshape(-1, *[1] * (curve.y.ndim - 1))
    return (1 - weight) * curve.y[before] + weight * curve.y[after]


def _with_work(rows: list[Row], config: TrainConfig) -> Iterator[Row]:
    """Yields the rows of all iterations with the work of self-play and learning so far."""
    self_play, learning = count_iteration(config)
    most = 1 + config.search.simulations_made  # evaluations of a move that is searched in full
    evaluations = operations = gating = 0.0
    for row in rows:
        if row["iteration"] > 0:
            per_move = 1 + row["simulations_per_move"]
            evaluations += per_move * config.positions_per_iteration
            operations += self_play * per_move / most + learning
            gating += row.get("gating_seconds", 0.0)
        yield row | {
            "evaluations": None if config.replay else round(evaluations),
            "samples": row["iteration"] * config.num_updates * config.batch_size,
            "operations": None if math.isnan(self_play + learning) else operations,
            "gating_seconds": gating,
        }
