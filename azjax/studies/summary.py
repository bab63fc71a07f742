"""What a study found: each cell's results at the end of training, and its comparisons."""

from collections.abc import Iterable

import numpy as np

from azjax.studies.curves import common_begin, common_end, curves_of, values_at
from azjax.studies.evaluations import ACCURACIES, AXES
from azjax.studies.statistics import interquartile_mean, interval, probability_of_improvement
from azjax.studies.study import Comparison, Panel, Study
from azjax.support.tables import Row

RESULTS = (*ACCURACIES, "elo")  # of an agent at the end of its training
END = "end of training"  # where ratings are compared


def summarise(study: Study, finals: list[Row]) -> list[Row]:
    """Returns for each cell and each result its interquartile mean over seeds, with its interval.

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
    """Returns the probabilities of improvement, with their intervals.

    Accuracies are compared at equal positions, simulations and seconds: as far along as every seed
    of both cells has come, interpolated between its looks. Where that is before a first look,
    there is no comparison. Ratings are of the end of training.
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
    """Returns the row of the agent of the highest accuracy, by its network where that is equal."""
    return max(finals, key=lambda row: [row[name] for name in ACCURACIES])


def _paired_scores(
    comparison: Comparison, evaluations: list[Row], finals: list[Row]
) -> Iterable[tuple[str, str, list[np.ndarray]]]:
    """Yields each result, what is equal there, and both sides' [tasks, seeds]."""
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
    """Returns for both sides [seeds]: the metric as far along the axis as all curves have come."""
    curves = [curves_of(evaluations, panel.lines[side], axis, metric) for side in sides]
    begin, end = max(map(common_begin, curves)), min(map(common_end, curves))
    return None if end < begin else [values_at(side, np.float64(end)) for side in curves]


def _column(rows: list[Row], cell: str, name: str) -> np.ndarray:
    return np.array([row[name] for row in rows if row["cell"] == cell])
