"""The figures of a study, each as vector PDF and as PNG: told apart by colour, by line, in grey."""

import itertools
import math
import pathlib
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from azjax.runs.metrics import Row
from azjax.studies.curves import band, curves_of
from azjax.studies.looks import ACCURACIES, AXES
from azjax.studies.study import Panel, Study
from azjax.studies.summary import RESULTS

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
_SEARCHES = {"Gumbel": "gumbel", "PUCT": "puct"}
_NAMES = {
    "accuracy_search": "accuracy with search",
    "accuracy_network": "accuracy of the network alone",
    "elo": "Elo against the study's mean",
    "positions": "positions of self-play",
    "simulations": "simulations of self-play",
    "seconds": "seconds of training",
}


class Style(NamedTuple):
    """How a line looks, whatever the figure."""

    color: str
    linestyle: Any
    marker: str


def draw_study(study: Study, looks: list[Row], summary: list[Row], folder: pathlib.Path) -> None:
    """Draws the learning curves over every axis, and what there is at the end of training."""
    styles = _styles(label for panel in study.panels for label in panel.lines)
    for metric, axis in itertools.product(ACCURACIES, AXES):

        def draw(axes: Any, panel: Panel, metric: str = metric, axis: str = axis) -> None:
            _draw_curves(axes, panel, looks, axis, metric, styles)

        _save(folder / f"{metric}_over_{axis}", _draw_panels(study.panels, draw, metric, axis))
    _save(folder / "end_of_training", _draw_ends(study.panels, summary, styles))


def draw_play_time(rows: list[Row], folder: pathlib.Path) -> None:
    """Draws accuracy over simulations, and over the time that a move takes."""
    panels = {
        "num_simulations": "simulations per move",
        "ms_per_position_in_batch": f"ms per position, {rows[0]['batch']:,} at once",
        "ms_per_position_alone": "ms per position, one at a time",
    }
    figure = _figure(_WIDTH, 2.4)
    all_axes = figure.subplots(1, len(panels), sharey=True)
    styles = _styles(_SEARCHES)
    for axes, (column, name) in zip(all_axes, panels.items(), strict=True):
        for label, style in styles.items():
            of_label = [row for row in rows if _SEARCHES[label] == row["search"]]
            x, y = [row[column] for row in of_label], [row["accuracy"] for row in of_label]
            axes.plot(x, y, label=label, markersize=4, **style._asdict())
        axes.set_xscale("log")
        values = sorted({row[column] for row in rows})
        is_count = column == "num_simulations"
        ticks = values if is_count else np.geomspace(values[0], values[-1], 4)
        axes.set_xticks(ticks, [f"{x:g}" if is_count else f"{x:.2g}" for x in ticks])
        axes.set_xticks([], minor=True)
        axes.set_xlabel(name)
    all_axes[0].set_ylabel("accuracy")
    all_axes[0].legend()
    _save(folder / "play_time", figure)


def _styles(labels: Iterable[str]) -> dict[str, Style]:
    distinct = dict.fromkeys(labels)
    looks = zip(*map(itertools.cycle, (_COLOURS, _DASHES, _MARKERS)), strict=True)
    return {label: Style(*look) for label, look in zip(distinct, looks, strict=False)}


def _draw_panels(
    panels: tuple[Panel, ...], draw: Callable[[Any, Panel], None], metric: str, axis: str
) -> Any:
    columns = min(_COLUMNS, len(panels))
    rows = math.ceil(len(panels) / columns)
    figure = _figure(_WIDTH if columns > 1 else _WIDTH / 1.6, 2.2 * rows + 0.3)
    grid = figure.subplots(rows, columns, sharey=True, squeeze=False)
    for axes, panel in itertools.zip_longest(grid.flat, panels):
        if panel is None:
            axes.remove()
            continue
        draw(axes, panel)
        axes.set_title(panel.title)
        axes.legend()
    figure.supxlabel(_NAMES[axis])
    figure.supylabel(_NAMES[metric])
    return figure


def _draw_curves(
    axes: Any, panel: Panel, looks: list[Row], axis: str, metric: str, styles: dict[str, Style]
) -> None:
    for label, cell in panel.lines.items():
        x, mean, low, high = band(curves_of(looks, cell, axis, metric))
        style = styles[label]
        axes.fill_between(x, low, high, color=style.color, alpha=0.2, linewidth=0)
        axes.plot(x, mean, label=label, markevery=0.2, markersize=3.5, **style._asdict())


def _draw_ends(panels: tuple[Panel, ...], summary: list[Row], styles: dict[str, Style]) -> Any:
    """Draws each cell's results with their intervals, the panels along the axis."""
    found = {(row["cell"], row["result"]): row for row in summary}
    figure = _figure(_WIDTH, 2.6)
    for axes, result in zip(figure.subplots(1, len(RESULTS)), RESULTS, strict=True):
        for label, style in styles.items():
            points = [
                (place + _dodge(label, panel), found[panel.lines[label], result])
                for place, panel in enumerate(panels)
                if label in panel.lines
            ]
            _draw_points(axes, points, label, style)
        axes.set_xticks(range(len(panels)), [panel.title for panel in panels])
        axes.tick_params("x", rotation=90 if len(panels) > 2 else 0)
        axes.set_xlim(-0.5, len(panels) - 0.5)
        axes.set_title(_NAMES[result])
    figure.axes[0].legend()
    return figure


def _dodge(label: str, panel: Panel) -> float:
    """Returns how far beside the panel's middle a label's point stands."""
    return 0.6 * ((list(panel.lines).index(label) + 0.5) / len(panel.lines) - 0.5)


def _draw_points(axes: Any, points: list[tuple[float, Row]], label: str, style: Style) -> None:
    x, rows = zip(*points, strict=True)
    iqm = [row["iqm"] for row in rows]
    # The mean of the middle may lie outside the percentiles by a rounding.
    below = [max(0.0, row["iqm"] - row["low"]) for row in rows]
    above = [max(0.0, row["high"] - row["iqm"]) for row in rows]
    axes.errorbar(
        x,
        iqm,
        yerr=[below, above],
        label=label,
        color=style.color,
        fmt=style.marker,
        markersize=4,
        capsize=2,
    )


def _figure(width: float, height: float) -> Any:
    import matplotlib
    from matplotlib.figure import Figure

    matplotlib.rcParams.update(_SETTINGS)
    return Figure(figsize=(width, height), layout="constrained")


def _save(path: pathlib.Path, figure: Any) -> None:
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path.with_suffix(".pdf"), metadata={"CreationDate": None})
    figure.savefig(path.with_suffix(".png"), dpi=200)
