"""The results of a study: each cell at the end of training, and comparisons of cells."""

from collections.abc import Iterable, Sequence

import numpy as np

from azjax.evaluation import Estimate, estimate_mean, estimate_probability, estimate_share
from azjax.studies.answers import StudyAnswers, scores_of
from azjax.studies.curves import AXES, common_end, common_start, curves_of, interpolate
from azjax.studies.study import ELO, EXPLOITABILITY, TRAINING_SEARCH, Comparison, Panel, Study
from azjax.support.files.tables import Row

END = "end of training"  # when ratings and held-out accuracies are compared
_DECIMALS = 6  # more than any estimate has


def columns_of(name: str, estimate: Estimate, prefix: str = "") -> Row:
    """Returns an estimate as columns: its name, and with the prefix `low`, `high` and `kind`."""
    return {
        name: round(estimate.mean, _DECIMALS),
        f"{prefix}low": round(estimate.low, _DECIMALS),
        f"{prefix}high": round(estimate.high, _DECIMALS),
        f"{prefix}kind": estimate.kind,
    }


def results_of(study: Study, finals: list[Row]) -> tuple[str, ...]:
    """Returns the results at the end of training that all agents have."""
    at_end = [x for x in (TRAINING_SEARCH, EXPLOITABILITY) if all(x in row for row in finals)]
    return (*study.accuracies, *at_end, ELO)


def summarize(
    study: Study, finals: list[Row], answers: StudyAnswers, results: Sequence[str]
) -> list[Row]:
    """Returns a row for each cell and result: the mean over seeds with its interval or range."""
    return [
        {
            "cell": cell.name,
            **cell.factors,
            "result": result,
            "seeds": study.num_seeds,
            **columns_of("mean", estimate(scores_of_cell(finals, cell.name, result, answers))),
        }
        for cell in study.cells
        for result in results
        for estimate in [estimate_mean if result == ELO else estimate_share]
    ]


def compare(
    study: Study, evaluations: list[Row], finals: list[Row], answers: StudyAnswers
) -> list[Row]:
    """Returns the mean differences of runs of the same seed, and probabilities of improvement.

    Accuracies are compared at equal values of each of `AXES`: at the last point that all seeds of
    both cells reach, interpolated between evaluations. There is no row where that point is before a
    seed's first evaluation, or a cell does not know the axis. Ratings are compared at the end of
    training.
    """
    return [
        row
        for comparison in study.comparisons
        for row in (
            *_compare_on_axes(study, comparison, evaluations, answers),
            _compare_finals(comparison, finals, answers, ELO),
        )
    ]


def compare_at_end(
    study: Study, finals: list[Row], answers: StudyAnswers, results: Sequence[str]
) -> list[Row]:
    """Returns the rows of `compare` for results at the end of training."""
    return [
        _compare_finals(comparison, finals, answers, result)
        for comparison in study.comparisons
        for result in results
    ]


def scores_of_cell(rows: list[Row], cell: str, result: str, answers: StudyAnswers) -> np.ndarray:
    """Returns [seeds] or [seeds, P]: a result of each run of a cell."""
    return scores_of([row for row in rows if row["cell"] == cell], result, answers)


def _compare_on_axes(
    study: Study, comparison: Comparison, evaluations: list[Row], answers: StudyAnswers
) -> Iterable[Row]:
    """Yields the rows of the accuracies of a comparison, at equal values of each axis."""
    sides = comparison.first, comparison.second
    for result in study.accuracies:
        for axis in AXES:
            cells = {panel.lines[side] for panel in comparison.panels for side in sides}
            if any(row.get(axis) is None for row in evaluations if row["cell"] in cells):
                continue
            tasks = [
                _at_common_end(panel, sides, evaluations, axis, result, answers)
                for panel in comparison.panels
            ]
            if None not in tasks:
                first, second = (np.stack(side) for side in zip(*tasks, strict=True))
                yield _difference(comparison, result, axis, first, second)


def _compare_finals(
    comparison: Comparison, finals: list[Row], answers: StudyAnswers, result: str
) -> Row:
    sides = (
        [scores_of_cell(finals, panel.lines[side], result, answers) for panel in comparison.panels]
        for side in (comparison.first, comparison.second)
    )
    return _difference(comparison, result, END, *map(np.stack, sides))


def _difference(
    comparison: Comparison, result: str, axis: str, first: np.ndarray, second: np.ndarray
) -> Row:
    """Returns the row of a comparison of [tasks, seeds], or of [tasks, seeds, P]."""
    by_seed = (scores if scores.ndim == 2 else scores.mean(axis=2) for scores in (first, second))
    return {
        "where": comparison.where,
        "first": comparison.first,
        "second": comparison.second,
        "result": result,
        "equal": axis,
        **columns_of("difference", estimate_mean((first - second).mean(axis=0))),
        **columns_of("probability", estimate_probability(*by_seed), "probability_"),
    }


def _at_common_end(
    panel: Panel,
    sides: tuple[str, str],
    evaluations: list[Row],
    axis: str,
    metric: str,
    answers: StudyAnswers,
) -> list[np.ndarray] | None:
    """Returns each side's scores at the last point that all curves cover, if there is one."""
    curves = [curves_of(evaluations, panel.lines[side], axis, metric, answers) for side in sides]
    start, end = max(map(common_start, curves)), min(map(common_end, curves))
    return None if end < start else [interpolate(side, np.array([end]))[0] for side in curves]
