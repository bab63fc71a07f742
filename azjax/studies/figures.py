"""The figures of a study, each as vector PDF and as PNG: told apart by colour, by line, in grey."""

import contextlib
import itertools
import math
import pathlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from azjax.studies.curves import band, curves_of
from azjax.studies.evaluations import ACCURACIES, AXES
from azjax.studies.play_time import SEARCHES
from azjax.studies.study import Panel, Study
from azjax.studies.summary import RESULTS
from azjax.support.figures import save_figure
from azjax.support.tables import Row

_COLUMNS = 3  # of panels
_WIDTH = 7.0  # inches, a page's text

# Okabe and Ito's colours, in an order whose greys differ too.
_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")
_DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 3)))
_MARKERS = ("o", "s", "^", "D", "v", "P")
_SETTINGS = {
    "font.size": 8,
    "axes.titlesize": 8,
    "figure.labelsize": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "legend.frameon": False,
    "legend.handlelength": 3,  # else a dash hides behind its marker
    "pdf.fonttype": 42,  # text stays text
}
_NAMES = {
    "accuracy_search": "accuracy, search",
    "accuracy_network": "accuracy, network alone",
    "elo": "Elo against the mean",
    "positions": "positions of self-play",
    "simulations": "simulations of self-play",
    "seconds": "seconds of training",
}


class Style(NamedTuple):
    """How a line looks."""

    color: str
    linestyle: Any
    marker: str


def plot_study(
    study: Study, evaluations: list[Row], summary: list[Row], folder: pathlib.Path
) -> None:
    """Draws the learning curves over every axis, and what there is at the end of training."""
    with _settings():
        for metric, axis in itertools.product(ACCURACIES, AXES):
            figure = _draw_curves(study.panels, evaluations, metric, axis)
            save_figure(figure, folder / f"{metric}_over_{axis}")
        save_figure(_draw_ends(study.panels, summary), folder / "end_of_training")


def plot_play_time(rows: list[Row], folder: pathlib.Path) -> None:
    """Draws accuracy over simulations, and over the time that a move takes."""
    with _settings():
        save_figure(_draw_play_time(rows), folder / "play_time")


def _draw_play_time(rows: list[Row]) -> Any:
    panels = {
        "num_simulations": "simulations per move",
        "ms_per_position_in_batch": f"ms per position, {rows[0]['batch']:,} at once",
        "ms_per_position_alone": "ms per position, one at a time",
    }
    figure = _figure(_WIDTH, 2.4)
    all_axes = figure.subplots(1, len(panels), sharey=True)
    for axes, (column, name) in zip(all_axes, panels.items(), strict=True):
        for (label, search), style in zip(SEARCHES.items(), _styles(), strict=False):
            x, y = zip(
                *((row[column], row["accuracy"]) for row in rows if row["search"] == search),
                strict=True,
            )
            axes.plot(x, y, label=label, markersize=4, **style._asdict())
        axes.set_xscale("log")
        values = sorted({row[column] for row in rows})
        is_count = column == "num_simulations"
        ticks = values if is_count else np.geomspace(values[0], values[-1], 3)
        axes.set_xticks(ticks, [f"{x:g}" if is_count else f"{x:.2g}" for x in ticks])
        axes.set_xticks([], minor=True)
        axes.set_xlabel(name)
    all_axes[0].set_ylabel("accuracy")
    all_axes[0].legend()
    return figure


def _draw_curves(panels: tuple[Panel, ...], evaluations: list[Row], metric: str, axis: str) -> Any:
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
            x, mean, low, high = band(curves_of(evaluations, cell, axis, metric))
            axes.fill_between(x, low, high, color=style.color, alpha=0.2, linewidth=0)
            axes.plot(x, mean, label=label, markevery=12, markersize=3.5, **style._asdict())
        axes.set_title(panel.title)
        axes.xaxis.set_major_locator(MaxNLocator(5))
        if axis != "seconds":
            axes.xaxis.set_major_formatter(EngFormatter(sep=""))
        axes.legend()
    figure.supxlabel(_NAMES[axis])
    figure.supylabel(_NAMES[metric])
    return figure


def _draw_ends(panels: tuple[Panel, ...], summary: list[Row]) -> Any:
    """Draws a row for each result, a column for each panel, a point for each cell."""
    found = {(row["cell"], row["result"]): row for row in summary}
    width = _WIDTH if len(panels) > 1 else _WIDTH / 1.6
    figure = _figure(width, 1.5 * len(RESULTS) + 0.5)
    grid = figure.subplots(len(RESULTS), len(panels), sharex="col", sharey="row", squeeze=False)
    for result, row in zip(RESULTS, grid, strict=True):
        row[0].set_ylabel(_NAMES[result])
        for panel, axes in zip(panels, row, strict=True):
            for slot, (cell, style) in enumerate(
                zip(panel.lines.values(), _styles(), strict=False)
            ):
                _draw_point(axes, slot, found[cell, result], style)
            axes.set_xticks(range(len(panel.lines)), list(panel.lines))
            axes.set_xlim(-0.6, len(panel.lines) - 0.4)
    for panel, axes in zip(panels, grid[0], strict=True):
        axes.set_title(panel.title)
    for axes in grid[-1]:
        axes.tick_params("x", rotation=90 if len(panels) > _COLUMNS else 0)
    return figure


def _draw_point(axes: Any, slot: int, row: Row, style: Style) -> None:
    # Few seeds draw few means: the interval may end a rounding short of the one that was seen.
    lengths = [[max(0.0, row["iqm"] - row["low"])], [max(0.0, row["high"] - row["iqm"])]]
    settings = {"fmt": style.marker, "color": style.color, "markersize": 4, "capsize": 2}
    axes.errorbar([slot], [row["iqm"]], yerr=lengths, **settings)


def _styles() -> Iterator[Style]:
    """Yields styles, without an end, for the lines of a panel in their order."""
    return map(Style, *map(itertools.cycle, (_COLOURS, _DASHES, _MARKERS)))


def _settings() -> contextlib.AbstractContextManager[None]:
    import matplotlib

    return matplotlib.rc_context(_SETTINGS)


def _figure(width: float, height: float) -> Any:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")
