"""Plots learning curves."""

import pathlib

from azjax.support.tables import Row

_PANELS = {
    "accuracy on solved positions": ("accuracy_network", "accuracy_search"),
    "loss": ("policy_loss", "value_loss"),
    "results of self-play": ("first_player_wins", "draws", "second_player_wins"),
    "diversity": ("distinct_positions", "policy_entropy"),
}
_STYLES = ("-", "--", ":")


def plot_curves(rows: list[Row], path: pathlib.Path, title: str) -> None:
    """Writes a PNG of the metrics over training time; panels without data are left out."""
    from matplotlib.figure import Figure

    panels = {
        name: present
        for name, fields in _PANELS.items()
        if (present := [f for f in fields if any(row.get(f) is not None for row in rows)])
    }
    if not panels:
        return
    unit, seconds = ("minutes", 60) if rows[-1]["seconds"] >= 120 else ("seconds", 1)
    figure = Figure(figsize=(4.2 * len(panels), 3.4), layout="constrained")
    for axes, (name, fields) in zip(
        figure.subplots(1, len(panels), squeeze=False)[0], panels.items(), strict=True
    ):
        for field, style in zip(fields, _STYLES, strict=False):
            points = [
                (row["seconds"] / seconds, row[field]) for row in rows if row.get(field) is not None
            ]
            axes.plot(*zip(*points, strict=True), style, label=field.replace("_", " "))
        axes.set(title=name, xlabel=f"{unit} of training")
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
    figure.suptitle(title)
    figure.savefig(path, dpi=120)
