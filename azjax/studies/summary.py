"""The results of a study: each cell at the end of training, and comparisons of cells."""

from collections.abc import Callable, Iterable

import numpy as np

from azjax.studies.curves import common_end, common_start, curves_of, interpolate
from azjax.studies.evaluations import AXES
from azjax.studies.statistics import interquartile_mean, interval, probability_of_improvement
from azjax.studies.study import Comparison, Panel, Study
from azjax.support.tables import Row

END = "end of training"  # when ratings are compared


def results_of(study: Study) -> tuple[str, ...]:
    """Returns the results of an agent at the end of its training."""
    return (*study.accuracies, "elo")


def summarise(study: Study, finals: list[Row]) -> list[Row]:
    """Returns a row for each cell and result: the interquartile mean over seeds with its interval.

    Args:
      study: The study.
      finals: A row for each agent, with the results as columns.
    """
    return [
        {
            "cell": cell.name,
            **cell.factors,
            "result": result,
            "seeds": study.num_seeds,
            "iqm": _rounded(interquartile_mean(scores)),
            **_rounded_interval(interquartile_mean, scores),
        }
        for cell in study.cells
        for result in results_of(study)
        for scores in [scores_of(finals, cell.name, result)[None]]
    ]


def compare(study: Study, evaluations: list[Row], finals: list[Row]) -> list[Row]:
    """Returns the probabilities of improvement with their intervals.

    Accuracies are compared at equal positions, simulations and seconds: at the last point that all
    seeds of both cells reach, interpolated between evaluations. There is no row where that point is
    before a seed's first evaluation. Ratings are compared at the end of training.
    """
    return [
        {
            "where": comparison.group.where,
            "first": comparison.first,
            "second": comparison.second,
            "result": result,
            "equal": axis,
            "probability": _rounded(probability_of_improvement(*scores)),
            **_rounded_interval(probability_of_improvement, *scores),
        }
        for comparison in study.comparisons
        for result, axis, scores in _paired_scores(study, comparison, evaluations, finals)
    ]


def without_ratings(rows: list[Row]) -> list[Row]:
    """Returns the rows of accuracies."""
    return [row for row in rows if row["result"] != "elo"]


def scores_of(rows: list[Row], cell: str, result: str) -> np.ndarray:
    """Returns [seeds]: a result of each run of a cell."""
    return np.array([row[result] for row in rows if row["cell"] == cell])


def _paired_scores(
    study: Study, comparison: Comparison, evaluations: list[Row], finals: list[Row]
) -> Iterable[tuple[str, str, list[np.ndarray]]]:
    """Yields a result, the axis on which both sides are equal, and their [tasks, seeds]."""
    sides, panels = (comparison.first, comparison.second), comparison.group.panels
    for result in study.accuracies:
        for axis in AXES:
            tasks = [_at_common_end(panel, sides, evaluations, axis, result) for panel in panels]
            if None not in tasks:
                yield result, axis, [np.stack(side) for side in zip(*tasks, strict=True)]
    rated = [[scores_of(finals, panel.lines[side], "elo") for panel in panels] for side in sides]
    yield "elo", END, [np.stack(side) for side in rated]


def _at_common_end(
    panel: Panel, sides: tuple[str, str], evaluations: list[Row], axis: str, metric: str
) -> list[np.ndarray] | None:
    """Returns each side's [seeds] at the last point that all curves cover, if there is one."""
    curves = [curves_of(evaluations, panel.lines[side], axis, metric) for side in sides]
    start, end = max(map(common_start, curves)), min(map(common_end, curves))
    return None if end < start else [interpolate(side, end) for side in curves]


def _rounded_interval(statistic: Callable[..., np.ndarray], *scores: np.ndarray) -> Row:
    low, high = interval(statistic, *scores)
    return {"low": _rounded(low), "high": _rounded(high)}


def _rounded(number: float | np.ndarray) -> float:
    """Returns a statistic to six decimals, more than it has."""
    return round(float(number), 6)
