"""ECharts options of learning curves, several runs laid over each other."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from azjax.page.charts import line, line_chart
from azjax.page.training.metrics import Point
from azjax.page.values import SERIES

Axis = Literal["minutes", "iteration"]
_AXES: Mapping[Axis, str] = {"minutes": "minutes of training", "iteration": "iteration"}
_BASELINE = "random_accuracy"
_DASHES = ("solid", "dashed", "dotted")
_FEW = 30  # points: so few are marked
_PERCENT = {"axisLabel": {":formatter": "value => `${+(100 * value).toPrecision(6)}%`"}}
_PANELS = {  # the columns of each; the losses of auxiliary heads follow those that are named
    "accuracy": ("accuracy_search", "accuracy_network"),
    "losses": ("loss", "policy_loss", "value_loss"),
    "learning rate": ("learning_rate",),
    "simulations/s": ("simulations_per_second",),
    "policy entropy": ("policy_entropy",),
    "distinct positions": ("distinct_positions",),
    "replay ratio": ("replay_ratio",),
    "results of self-play": ("first_player_wins", "draws", "second_player_wins"),
}
_SHARES = ("accuracy", "distinct positions", "results of self-play")
TITLES = tuple(_PANELS)

Curves = Mapping[str, Sequence[Point]]  # by column


def plot_panels(runs: Mapping[str, Curves], axis: Axis) -> dict[str, dict[str, Any]]:
    """Returns the options of each panel by its title; those without data are left out.

    Args:
      runs: The curves of each run by its name, in the order of their colours.
      axis: What x is.
    """
    plotted, losses = {}, {name for x in runs.values() for name in x if name.endswith("_loss")}
    for title, columns in _PANELS.items():
        if title == "losses":
            columns = tuple(dict.fromkeys([*columns, *sorted(losses)]))
        if series := _series(runs, columns, axis):
            y_axis = {"scale": True} | (_PERCENT if title in _SHARES else {})
            plotted[title] = line_chart(title, {"name": _AXES[axis]}, y_axis, series)
    if "accuracy" in plotted:
        _add_baselines(plotted["accuracy"], list(runs.values()))
    return plotted


def _series(runs: Mapping[str, Curves], columns: Sequence[str], axis: Axis) -> list[dict[str, Any]]:
    present = [name for name in columns if any(curves.get(name) for curves in runs.values())]
    is_told = len(present) > 1 or len(runs) == 1
    series = []
    for number, (run, curves) in enumerate(runs.items()):
        for rank, column in enumerate(columns):
            if points := curves.get(column):
                words = column.removeprefix("accuracy_").replace("_", " ") if is_told else ""
                name = ": ".join(filter(None, [run if len(runs) > 1 else "", words]))
                data = [(_x(point, axis), _rounded(point.value)) for point in points]
                dash = _DASHES[min(rank, len(_DASHES) - 1)]
                series.append(
                    line(name, data, SERIES[number % len(SERIES)])
                    | {"showSymbol": len(points) <= _FEW, "symbolSize": 5}
                    | {"lineStyle": {"type": dash, "width": 1.6}}
                )
    return series


def _add_baselines(options: dict[str, Any], runs: Sequence[Curves]) -> None:
    """Adds a line at the accuracy of random play to a panel, one for each that differs."""
    shares = dict.fromkeys(
        _rounded(curves[_BASELINE][-1].value) for curves in runs if curves.get(_BASELINE)
    )
    series = options["series"]
    lowest = min([*shares, *(y for one in series for _, y in one["data"])])
    options["yAxis"] |= {"min": math.floor(20 * lowest) / 20, "max": 1}  # a line widens no axis
    series[0]["markLine"] = {
        "silent": True,
        "symbol": "none",
        "lineStyle": {"color": "#7a7a7a", "type": "dotted"},
        "label": {"formatter": "random play", "position": "insideEndTop"},
        "data": [{"yAxis": share} for share in shares],
    }


def _x(point: Point, axis: Axis) -> float:
    return point.iteration if axis == "iteration" else round(point.minutes, 3)


def _rounded(value: float) -> float:
    """Returns a value with as many digits as can be seen."""
    return float(f"{value:.5g}")
