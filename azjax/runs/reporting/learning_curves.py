"""Plots the learning curves of a run, or of runs that differ in seed and numbers."""

import pathlib

import numpy as np

from azjax.support.files.atomic_files import write_figure
from azjax.support.files.tables import Row

_EVALUATED = ("accuracy_network", "accuracy_search")  # the others are of every iteration
_PANELS = {
    "accuracy on solved positions": _EVALUATED,
    "loss": ("policy_loss", "value_loss"),
    "results of self-play": ("first_player_wins", "draws", "second_player_wins"),
    "diversity": ("distinct_positions", "policy_entropy"),
}
_STYLES = ("-", "--", ":")


def plot_curves(settings: dict[str, list[list[Row]]], path: pathlib.Path, title: str) -> None:
    """Writes a PNG of the metrics over training time; panels without data are left out.

    Of several runs of a setting each has a thin line, and their mean a thick one. Markers show the
    evaluations, and a metric that was measured once.

    Args:
      settings: For each setting of the numbers, by its label, the metrics of its runs.
      path: The file.
      title: The title.
    """
    import matplotlib
    from matplotlib.figure import Figure

    rows = [row for runs in settings.values() for rows in runs for row in rows]
    panels = {
        name: present
        for name, fields in _PANELS.items()
        if (present := [field for field in fields if _curve(rows, field).size])
    }
    if not panels:
        return
    unit, length = ("minutes", 60) if max(row["seconds"] for row in rows) >= 120 else ("seconds", 1)
    is_one = len(settings) == 1  # then colours tell the fields apart
    colours = matplotlib.colormaps["viridis"](np.linspace(0, 0.85, len(settings)))
    figure = Figure(figsize=(4.2 * len(panels), 3.4), layout="constrained")
    all_axes = figure.subplots(1, len(panels), squeeze=False)[0]
    for axes, (name, fields) in zip(all_axes, panels.items(), strict=True):
        for number, field in enumerate(fields):
            for colour, (label, runs) in zip(colours, settings.items(), strict=True):
                curves = [curve for rows in runs if (curve := _curve(rows, field)).size]
                if not curves:
                    continue
                style = {"color": f"C{number}" if is_one else colour, "ls": _STYLES[number]}
                for times, values in curves if len(curves) > 1 else ():
                    axes.plot(times / length, values, linewidth=0.7, alpha=0.6, **style)
                times, values = mean_curve(curves)
                marker = "o" if field in _EVALUATED or len(times) == 1 else None
                what = field.replace("_", " ") if is_one else f"{label}, {field.replace('_', ' ')}"
                axes.plot(times / length, values, marker=marker, ms=4, label=what, **style)
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


def _curve(rows: list[Row], field: str) -> np.ndarray:
    """Returns [2, measurements]: seconds and values of the rows that have a number in a column."""
    found = [(row["seconds"], row[field]) for row in rows if row.get(field) is not None]
    return np.array(found, float).reshape(-1, 2).T
