"""The figures of a study: learning curves at equal time, and the results at the end of training."""

import math
import pathlib
from typing import TYPE_CHECKING, Any

import numpy as np

from azjax.studies.answers import StudyAnswers
from azjax.studies.curves import band, curves_of
from azjax.studies.study import ACCURACIES, COMMON_SEARCH, RESULT_LABELS, Panel, Study
from azjax.support.files.atomic_files import write_figure
from azjax.support.files.tables import Row

if TYPE_CHECKING:  # importing matplotlib takes longer than --help should
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.typing import RcKeyType

CURVES, ENDS = "learning_curves.png", "end_of_training.png"
_COLUMNS = 3  # of panels
_MOST_LABELS = 4  # that fit side by side
_WIDTH = 7.0  # inches: the text width of a page

# Okabe and Ito's colours, in an order in which neighbours differ in grey, too.
_LINES = {
    "color": ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#000000"),
    "linestyle": ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 3)), (0, (6, 2))),
    "marker": ("o", "s", "^", "D", "v", "P", "X"),
}
_SETTINGS: "dict[RcKeyType, Any]" = {
    "font.size": 8,
    "axes.titlesize": 8,
    "figure.labelsize": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "legend.frameon": False,
    "legend.handlelength": 3,  # long enough to show dashes beside the marker
}


def plot_study(
    study: Study,
    evaluations: list[Row],
    answers: StudyAnswers,
    finals: list[Row],
    summary: list[Row],
    folder: pathlib.Path,
) -> None:
    """Plots the accuracy over the seconds of training, and the results at its end."""
    import matplotlib
    from matplotlib.rcsetup import cycler

    folder.mkdir(exist_ok=True)
    settings = _SETTINGS | {"axes.prop_cycle": cycler(**_LINES)}
    with matplotlib.rc_context(settings):
        figure = _plot_curves(study.panels, evaluations, answers)
        write_figure(figure, folder / CURVES, dpi=200)
        write_figure(_plot_ends(study, finals, summary), folder / ENDS, dpi=200)


def _plot_curves(
    panels: tuple[Panel, ...], evaluations: list[Row], answers: StudyAnswers
) -> "Figure":
    """Returns the learning curves of every panel, with markers at evaluations."""
    columns = min(_COLUMNS, len(panels))
    rows = math.ceil(len(panels) / columns)
    figure = _figure(_WIDTH if columns > 1 else _WIDTH / 1.6, 2.2 * rows + 0.3)
    grid = figure.subplots(rows, columns, sharey=True, squeeze=False)
    for axes in grid.flat[len(panels) :]:
        axes.remove()
    for axes, panel in zip(grid.flat, panels, strict=False):
        for label, cell in panel.lines.items():
            curves = curves_of(evaluations, cell, "seconds", COMMON_SEARCH, answers)
            x, mean, low, high, is_marked, kind = band(curves)
            marks = np.flatnonzero(is_marked).tolist()
            [line] = axes.plot(x, mean, label=label, markevery=marks, markersize=2.5)
            axes.fill_between(x, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
        axes.set_title(panel.title)
        axes.locator_params("x", nbins=5)
        _label_in_percent(axes)
        axes.legend()
    figure.supxlabel(f"seconds of training\n(means over seeds; band: {kind})")
    figure.supylabel(f"accuracy, {RESULT_LABELS[COMMON_SEARCH]}")
    return figure


def _plot_ends(study: Study, finals: list[Row], summary: list[Row]) -> "Figure":
    """Plots a row for each result, a column for each panel, a mean for each cell, and its seeds."""
    rows = {(row["cell"], row["result"]): row for row in summary}
    results, panels = list(dict.fromkeys(row["result"] for row in summary)), study.panels
    width = _WIDTH if len(panels) > 1 else _WIDTH / 1.6
    figure = _figure(width, 1.5 * len(results) + 0.5)
    grid = figure.subplots(len(results), len(panels), sharex="col", sharey="row", squeeze=False)
    for result, row_of_axes in zip(results, grid, strict=True):
        row_of_axes[0].set_ylabel(RESULT_LABELS[result])
        if result in ACCURACIES:
            _label_in_percent(row_of_axes[0])
        for panel, axes in zip(panels, row_of_axes, strict=True):
            for x, cell in enumerate(panel.lines.values()):
                row = rows[cell, result]
                lengths = [[row["mean"] - row["low"]], [row["high"] - row["mean"]]]
                axes.errorbar([x], [row["mean"]], lengths, markersize=4, capsize=2)
                seeds = [final[result] for final in finals if final["cell"] == cell]
                axes.plot([x + 0.15] * len(seeds), seeds, ".", color="0.5", markersize=3)
            axes.set_xticks(range(len(panel.lines)), list(panel.lines))
            axes.set_xlim(-0.6, len(panel.lines) - 0.4)
    is_narrow = len(panels) > _COLUMNS or max(len(panel.lines) for panel in panels) > _MOST_LABELS
    for panel, top, bottom in zip(panels, grid[0], grid[-1], strict=True):
        top.set_title(panel.title)
        bottom.tick_params("x", rotation=90 if is_narrow else 0)
    return figure


def _label_in_percent(axes: "Axes") -> None:
    axes.yaxis.set_major_formatter(lambda share, _: f"{100 * share:g}%")


def _figure(width: float, height: float) -> "Figure":
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")
