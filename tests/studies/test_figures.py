"""The figures of a study: a marker stands where a measurement is."""

import numpy as np
import pytest

from azjax.studies.reporting.figures import plot_curves
from azjax.studies.study import Panel

PANEL = Panel("rate", {"low": "slow", "high": "fast"})


def evaluations(cell, times):
    return [
        {"cell": cell, "seed": seed, "seconds": t + seed / 10, "accuracy_search": t / 10}
        for seed in (0, 1)
        for t in times
    ]


@pytest.mark.parametrize("times", [(0, 1, 2, 3), (0, 2, 7), (4,)])
def test_markers_are_at_evaluations(times):
    rows = [*evaluations("slow", times), *evaluations("fast", times)]
    rows = [row for row in rows if len(times) > 1 or row["seed"] == 0]
    figure = plot_curves((PANEL,), rows, {}, "accuracy_search", "seconds")
    for line in figure.axes[0].get_lines():
        marked = line.get_xdata()[line.get_markevery()]
        measured = [row["seconds"] for row in rows]
        assert len(marked) == max(1, len(times) - 1)  # as far as both seeds reach
        assert np.isin(marked, measured).all()
