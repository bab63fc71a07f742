"""Plots the learning curves of several runs, and the mean of those that differ in the seed only."""

import pathlib
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from azjax.runs.learning_curves import curve, has_metric, time_unit
from azjax.support.tables import Row

if TYPE_CHECKING:  # importing matplotlib takes longer than --help should
    from matplotlib.axes import Axes

_ACCURACIES = {
    "accuracy_network": "accuracy of the network alone",
    "accuracy_search": "accuracy with search",
}
_LOSSES = {"policy_loss": "policy loss", "value_loss": "value loss"}


class _Style(NamedTuple):
    """The label and the colour of a setting, and the marker of its measurements, if any."""

    label: str
    colour: np.ndarray  # [4]
    marker: str | None


def plot_population(settings: dict[str, list[list[Row]]], path: pathlib.Path, title: str) -> None:
    """Writes a PNG with a thin line for each run, and a thick one for the mean of each setting.

    It shows accuracies, or losses if there are no solved positions.

    Args:
      settings: For each setting of the hyperparameters, by its label, the metrics of its runs.
      path: The file.
      title: The title.
    """
    import matplotlib
    from matplotlib.figure import Figure

    everything = [row for runs in settings.values() for rows in runs for row in rows]
    if not everything:
        return
    is_solved = all(has_metric(everything, field) for field in _ACCURACIES)
    panels = _ACCURACIES if is_solved else _LOSSES
    unit, seconds = time_unit(max(row["seconds"] for row in everything))
    colours = matplotlib.colormaps["viridis"](np.linspace(0, 0.85, len(settings)))
    figure = Figure(figsize=(5.2 * len(panels), 3.8), layout="constrained")
    for axes, (field, name) in zip(figure.subplots(1, len(panels)), panels.items(), strict=True):
        for (label, runs), colour in zip(settings.items(), colours, strict=True):
            curves = [np.array(curve(rows, field)) / [[seconds], [1]] for rows in runs]
            style = _Style(label, colour, "." if is_solved else None)
            _plot_setting(axes, [x for x in curves if x.size], style)
        axes.set(title=name, xlabel=f"{unit} of training")
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
    figure.suptitle(title)
    figure.savefig(path, dpi=120)


def mean_curve(curves: list[np.ndarray]) -> np.ndarray:
    """Returns [2, points]: the times of all measurements, and the mean of the runs at each.

    Runs are interpolated between their measurements. A run that ended keeps its last value.

    Args:
      curves: Of each run [2, measurements], the times and the values.
    """
    all_times = np.unique(np.concatenate([times for times, _ in curves]))
    return np.stack([all_times, np.mean([np.interp(all_times, *x) for x in curves], axis=0)])


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
