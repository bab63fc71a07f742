"""Plots the learning curves of a run, and of runs that differ in seed and numbers."""

import pathlib
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from azjax.support.figures import write_figure
from azjax.support.files.tables import Row

if TYPE_CHECKING:  # importing matplotlib takes longer than --help should
    from matplotlib.axes import Axes

_EVALUATED = ("accuracy_network", "accuracy_search")  # the others are of every iteration
_PANELS = {
    "accuracy on solved positions": _EVALUATED,
    "loss": ("policy_loss", "value_loss"),
    "results of self-play": ("first_player_wins", "draws", "second_player_wins"),
    "diversity": ("distinct_positions", "policy_entropy"),
}
_STYLES = ("-", "--", ":")
_ACCURACIES = {
    "accuracy_network": "accuracy of the network alone",
    "accuracy_search": "accuracy with search",
}
_LOSSES = {"policy_loss": "policy loss", "value_loss": "value loss"}


def plot_curves(rows: list[Row], path: pathlib.Path, title: str) -> None:
    """Writes a PNG of the metrics over training time; panels without data are left out.

    Markers show the evaluations, and a metric that was measured once.
    """
    from matplotlib.figure import Figure

    panels = {
        name: present
        for name, fields in _PANELS.items()
        if (present := [field for field in fields if _has_metric(rows, field)])
    }
    if not panels:
        return
    unit, seconds = _time_unit(rows[-1]["seconds"])
    figure = Figure(figsize=(4.2 * len(panels), 3.4), layout="constrained")
    for axes, (name, fields) in zip(
        figure.subplots(1, len(panels), squeeze=False)[0], panels.items(), strict=True
    ):
        for field, style in zip(fields, _STYLES, strict=False):
            times, values = _curve(rows, field)
            axes.plot(
                [time / seconds for time in times],
                values,
                style,
                label=field.replace("_", " "),
                marker="o" if field in _EVALUATED or len(times) == 1 else None,
                markersize=4,
            )
        axes.set(title=name, xlabel=f"{unit} of training")
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
    figure.suptitle(title)
    write_figure(figure, path, dpi=120)


def plot_population(settings: dict[str, list[list[Row]]], path: pathlib.Path, title: str) -> None:
    """Writes a PNG with a thin line for each run, and a thick one for the mean of each setting.

    It shows accuracies, or losses if there are no solved positions.

    Args:
      settings: For each setting of the numbers, by its label, the metrics of its runs.
      path: The file.
      title: The title.
    """
    import matplotlib
    from matplotlib.figure import Figure

    everything = [row for runs in settings.values() for rows in runs for row in rows]
    if not everything:
        return
    is_solved = all(_has_metric(everything, field) for field in _ACCURACIES)
    panels = _ACCURACIES if is_solved else _LOSSES
    unit, seconds = _time_unit(max(row["seconds"] for row in everything))
    colours = matplotlib.colormaps["viridis"](np.linspace(0, 0.85, len(settings)))
    figure = Figure(figsize=(5.2 * len(panels), 3.8), layout="constrained")
    for axes, (field, name) in zip(figure.subplots(1, len(panels)), panels.items(), strict=True):
        for (label, runs), colour in zip(settings.items(), colours, strict=True):
            curves = [np.array(_curve(rows, field)) / [[seconds], [1]] for rows in runs]
            style = _Style(label, colour, "." if is_solved else None)
            _plot_setting(axes, [x for x in curves if x.size], style)
        axes.set(title=name, xlabel=f"{unit} of training")
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
    figure.suptitle(title)
    write_figure(figure, path, dpi=120)


def mean_curve(curves: list[np.ndarray]) -> np.ndarray:
    """Returns [2, points]: the times of all measurements, and the mean of the runs at each.

    Runs are interpolated between their measurements. A run that ended keeps its last value.

    Args:
      curves: Of each run [2, measurements], the times and the values.
    """
    all_times = np.unique(np.concatenate([times for times, _ in curves]))
    return np.stack([all_times, np.mean([np.interp(all_times, *x) for x in curves], axis=0)])


class _Style(NamedTuple):
    """The label and the colour of a setting, and the marker of its measurements, if any."""

    label: str
    colour: np.ndarray  # [4]
    marker: str | None


def _plot_setting(axes: "Axes", curves: list[np.ndarray], style: _Style) -> None:
    """Plots the runs of a setting, and their mean."""
    for times, values in curves:
        marker = style.marker if len(times) > 1 else "."
        axes.plot(times, values, color=style.colour, linewidth=0.7, alpha=0.6, marker=marker)
    if curves:
        times, values = mean_curve(curves)
        marker = None if len(times) > 1 else "o"
        axes.plot(
            times, values, color=style.colour, linewidth=2.4, marker=marker, label=style.label
        )


def _has_metric(rows: list[Row], field: str) -> bool:
    """Tells whether any row has a number in a column."""
    return any(row.get(field) is not None for row in rows)


def _curve(rows: list[Row], field: str) -> tuple[list[float], list[float]]:
    """Returns the seconds and the values of the rows that have a number in a column."""
    present = [row for row in rows if row.get(field) is not None]
    return [row["seconds"] for row in present], [row[field] for row in present]


def _time_unit(seconds: float) -> tuple[str, int]:
    """Returns the unit for an axis of so many seconds, and its length in seconds."""
    return ("minutes", 60) if seconds >= 120 else ("seconds", 1)
