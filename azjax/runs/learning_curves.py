"""Plots the learning curves of a run."""

import pathlib

from azjax.support.tables import Row

_EVALUATED = ("accuracy_network", "accuracy_search")  # the others are of every iteration
_PANELS = {
    "accuracy on solved positions": _EVALUATED,
    "loss": ("policy_loss", "value_loss"),
    "results of self-play": ("first_player_wins", "draws", "second_player_wins"),
    "diversity": ("distinct_positions", "policy_entropy"),
}
_STYLES = ("-", "--", ":")


def plot_curves(rows: list[Row], path: pathlib.Path, title: str) -> None:
    """Writes a PNG of the metrics over training time; panels without data are left out.

    Markers show the evaluations, and a metric that was measured once.
    """
    from matplotlib.figure import Figure

    panels = {
        name: present
        for name, fields in _PANELS.items()
        if (present := [field for field in fields if has_metric(rows, field)])
    }
    if not panels:
        return
    unit, seconds = time_unit(rows[-1]["seconds"])
    figure = Figure(figsize=(4.2 * len(panels), 3.4), layout="constrained")
    for axes, (name, fields) in zip(
        figure.subplots(1, len(panels), squeeze=False)[0], panels.items(), strict=True
    ):
        for field, style in zip(fields, _STYLES, strict=False):
            times, values = curve(rows, field)
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
    figure.savefig(path, dpi=120)


def has_metric(rows: list[Row], field: str) -> bool:
    """Tells whether any row has a number in a column."""
    return any(row.get(field) is not None for row in rows)


def curve(rows: list[Row], field: str) -> tuple[list[float], list[float]]:
    """Returns the seconds and the values of the rows that have a number in a column."""
    present = [row for row in rows if row.get(field) is not None]
    return [row["seconds"] for row in present], [row[field] for row in present]


def time_unit(seconds: float) -> tuple[str, int]:
    """Returns the unit for an axis of so many seconds, and its length in seconds."""
    return ("minutes", 60) if seconds >= 120 else ("seconds", 1)
