"""The figures of a study, each as PDF and PNG; lines differ in colour, dashes, marker and grey."""

import contextlib
import itertools
import math
import pathlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from azjax.studies.answers import StudyAnswers
from azjax.studies.curves import band, curves_of
from azjax.studies.evaluations import AXES
from azjax.studies.study import ELO, Panel, Study
from azjax.support.figures import save_figure
from azjax.support.files.tables import Row

if TYPE_CHECKING:  # importing matplotlib takes longer than --help should
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.typing import LineStyleType, RcKeyType

SEARCH_LABELS = {"gumbel": "Gumbel", "puct": "PUCT", "uct": "UCT"}  # others are their names
_COLUMNS = 3  # of panels
_MOST_LABELS = 4  # that fit side by side
_WIDTH = 7.0  # inches: the text width of a page

# Okabe and Ito's colours, in an order in which neighbours differ in grey, too.
_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#000000")
_DASHES: "tuple[LineStyleType, ...]" = (
    "-",
    "--",
    "-.",
    ":",
    (0, (5, 1, 1, 1, 1, 1)),
    (0, (1, 3)),
    (0, (6, 2)),
)
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")
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
    "pdf.fonttype": 42,  # text stays selectable
}
_LABELS = {
    "accuracy_search": "accuracy, common search",
    "accuracy_own_search": "accuracy, own search",
    "accuracy_network": "accuracy, network alone",
    ELO: "Elo against the mean",
    "positions": "positions of self-play",
    "simulations": "simulations of self-play",
    "seconds": "seconds of training",
    "exploitability": "exploitability",
}


class Style(NamedTuple):
    """The colour, dashes and marker of a line."""

    color: str
    linestyle: "LineStyleType"
    marker: str


def plot_study(
    study: Study,
    evaluations: list[Row],
    answers: StudyAnswers,
    summary: list[Row],
    folder: pathlib.Path,
) -> None:
    """Plots the learning curves over every axis, and the results at the end of training."""
    with _settings():
        for metric, axis in itertools.product(study.accuracies, AXES):
            figure = plot_curves(study.panels, evaluations, answers, metric, axis)
            save_figure(figure, folder / f"{metric}_over_{axis}")
        save_figure(_plot_ends(study, summary), folder / "end_of_training")


def plot_play_time(rows: list[Row], folder: pathlib.Path) -> None:
    """Plots accuracy over simulations, and over the seconds of a move."""
    with _settings():
        save_figure(_plot_play_time(rows), folder / "play_time")


def _plot_play_time(rows: list[Row]) -> "Figure":
    panels = {
        "num_simulations": "simulations per move",
        "ms_per_position_in_batch": f"ms per position, {rows[0]['batch']:,} at once",
        "ms_per_position_alone": "ms per position, one at a time",
    }
    searches = dict.fromkeys(row["search"] for row in rows)
    figure = _figure(_WIDTH, 2.4)
    all_axes = figure.subplots(1, len(panels), sharey=True)
    for axes, (column, name) in zip(all_axes, panels.items(), strict=True):
        for search, style in zip(searches, _styles(), strict=False):
            label = SEARCH_LABELS.get(search, search)
            of_search = [row for row in rows if row["search"] == search]
            x = [row[column] for row in of_search]
            y, low, high = (
                [row[name] for row in of_search]
                for name in ("accuracy", "accuracy_low", "accuracy_high")
            )
            axes.fill_between(x, low, high, color=style.color, alpha=0.2, linewidth=0)
            axes.plot(x, y, label=label, markersize=4, **style._asdict())
        axes.set_xscale("log")
        values = sorted({row[column] for row in rows})
        is_count = column == "num_simulations"
        ticks = values if is_count else np.geomspace(values[0], values[-1], 3)
        axes.set_xticks(ticks, [f"{x:g}" if is_count else f"{x:.2g}" for x in ticks])
        axes.set_xticks([], minor=True)
        axes.set_xlabel(name)
    all_axes[0].set_ylabel("accuracy")
    _label_in_percent(all_axes[0])
    all_axes[0].legend()
    return figure


def plot_curves(
    panels: tuple[Panel, ...], evaluations: list[Row], answers: StudyAnswers, metric: str, axis: str
) -> "Figure":
    """Returns the learning curves of every panel, with markers at evaluations."""
    from matplotlib.ticker import EngFormatter, MaxNLocator

    columns = min(_COLUMNS, len(panels))
    rows = math.ceil(len(panels) / columns)
    figure = _figure(_WIDTH if columns > 1 else _WIDTH / 1.6, 2.2 * rows + 0.3)
    grid = figure.subplots(rows, columns, sharey=True, squeeze=False)
    for axes, panel in itertools.zip_longest(grid.flat, panels):
        if panel is None:
            axes.remove()
            continue
        for (label, cell), style in zip(panel.lines.items(), _styles(), strict=False):
            curves = curves_of(evaluations, cell, axis, metric, answers)
            x, mean, low, high, is_marked, kind = band(curves)
            axes.fill_between(x, low, high, color=style.color, alpha=0.2, linewidth=0)
            marks = np.flatnonzero(is_marked).tolist()
            axes.plot(x, mean, label=label, markevery=marks, markersize=2.5, **style._asdict())
        axes.set_title(panel.title)
        axes.xaxis.set_major_locator(MaxNLocator(5))
        if axis != "seconds":
            axes.xaxis.set_major_formatter(EngFormatter(sep=""))
        _label_in_percent(axes)
        axes.legend()
    figure.supxlabel(f"{_LABELS[axis]}\n(means over seeds; band: {kind})")
    figure.supylabel(_LABELS[metric])
    return figure


def _plot_ends(study: Study, summary: list[Row]) -> "Figure":
    """Plots a row for each result, a column for each panel, a point for each cell."""
    rows = {(row["cell"], row["result"]): row for row in summary}
    results, panels = list(dict.fromkeys(row["result"] for row in summary)), study.panels
    width = _WIDTH if len(panels) > 1 else _WIDTH / 1.6
    figure = _figure(width, 1.5 * len(results) + 0.5)
    grid = figure.subplots(len(results), len(panels), sharex="col", sharey="row", squeeze=False)
    for result, row_of_axes in zip(results, grid, strict=True):
        row_of_axes[0].set_ylabel(_LABELS[result])
        if result in study.accuracies:
            _label_in_percent(row_of_axes[0])
        for panel, axes in zip(panels, row_of_axes, strict=True):
            for x, (cell, style) in enumerate(zip(panel.lines.values(), _styles(), strict=False)):
                _plot_point(axes, x, rows[cell, result], style)
            axes.set_xticks(range(len(panel.lines)), list(panel.lines))
            axes.set_xlim(-0.6, len(panel.lines) - 0.4)
    for panel, axes in zip(panels, grid[0], strict=True):
        axes.set_title(panel.title)
    is_narrow = len(panels) > _COLUMNS or max(len(panel.lines) for panel in panels) > _MOST_LABELS
    for axes in grid[-1]:
        axes.tick_params("x", rotation=90 if is_narrow else 0)
    return figure


def _label_in_percent(axes: "Axes") -> None:
    axes.yaxis.set_major_formatter(lambda share, _: f"{100 * share:g}%")


def _plot_point(axes: "Axes", x: int, row: Row, style: Style) -> None:
    lengths = [[row["mean"] - row["low"]], [row["high"] - row["mean"]]]
    axes.errorbar(
        [x], [row["mean"]], lengths, fmt=style.marker, color=style.color, markersize=4, capsize=2
    )


def _styles() -> Iterator[Style]:
    """Yields the styles of a panel's lines in order, cyclically."""
    return map(Style, *map(itertools.cycle, (_COLOURS, _DASHES, _MARKERS)))


def _settings() -> contextlib.AbstractContextManager[None]:
    import matplotlib

    return matplotlib.rc_context(_SETTINGS)


def _figure(width: float, height: float) -> "Figure":
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")
