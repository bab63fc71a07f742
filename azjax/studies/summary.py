"""The results of a study: each cell at the end of training, and comparisons of cells."""

from collections.abc import Iterable

import numpy as np

from azjax.studies.curves import common_end, common_start, curves_of, interpolate
from azjax.studies.evaluations import ACCURACIES, AXES
from azjax.studies.statistics import interquartile_mean, interval, probability_of_improvement
from azjax.studies.study import Comparison, Panel, Study
from azjax.support.tables import Row

RESULTS = (*ACCURACIES, "elo")  # of an agent at the end of its training
END = "end of training"  # when ratings are compared


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
            "iqm": float(interquartile_mean(scores)),
            **interval(interquartile_mean, scores)._asdict(),
        }
        for cell in study.cells
        for result in RESULTS
        for scores in [_column(finals, cell.name, result)[None]]
    ]


def compare(study: Study, evaluations: list[Row], finals: list[Row]) -> list[Row]:
    """Returns the probabilities of improvement with their intervals.

    Accuracies are compared at equal positions, simulations and seconds: at the last point that all
    seeds of both cells reach, interpolated between evaluations. There is no row where that point is
    before a seed's first evaluation. Ratings are compared at the end of training.
    """
    return [
        {
            "where": comparison.where,
            "first": comparison.first,
            "second": comparison.second,
            "result": result,
            "equal": axis,
            "probability": float(probability_of_improvement(*scores)),
            **interval(probability_of_improvement, *scores)._asdict(),
        }
        for comparison in study.comparisons
        for result, axis, scores in _paired_scores(comparison, evaluations, finals)
    ]


def best_of(finals: list[Row]) -> Row:
    """Returns the row of the highest accuracy with search; ties go to the better network."""
    return max(finals, key=lambda row: [row[name] for name in ACCURACIES])


def _paired_scores(
    comparison: Comparison, evaluations: list[Row], finals: list[Row]
) -> Iterable[tuple[str, str, list[np.ndarray]]]:
    """Yields a result, the axis on which both sides are equal, and their [tasks, seeds]."""
    sides, panels = (comparison.first, comparison.second), comparison.panels
    for result in ACCURACIES:
        for axis in AXES:
            tasks = [_at_common_end(panel, sides, evaluations, axis, result) for panel in panels]
            if None not in tasks:
                yield result, axis, [np.stack(side) for side in zip(*tasks, strict=True)]
    rated = [[_column(finals, panel.lines[side], "elo") for panel in panels] for side in sides]
    yield "elo", END, [np.stack(side) for side in rated]


def _at_common_end(
    panel: Panel, sides: tuple[str, str], evaluations: list[Row], axis: str, metric: str
) -> list[np.ndarray] | None:
    """Returns each side's [seeds] at the last point that all curves cover, if there is one."""
    curves = [curves_of(evaluations, panel.lines[side], axis, metric) for side in sides]
    start, end = max(map(common_start, curves)), min(map(common_end, curves))
    return None if end < start else [interpolate(side, end) for side in curves]


def _column(rows: list[Row], cell: str, name: str) -> np.ndarray:
    return np.array([row[name] for row in rows if row["cell"] == cell])
