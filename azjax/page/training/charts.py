"""ECharts options of learning curves, several runs laid over each other."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from azjax.page.training.metrics import Point
from azjax.page.values import SERIES

Axis = Literal["minutes", "iteration"]
_AXES: Mapping[Axis, str] = {"minutes": "minutes of training", "iteration": "iteration"}
_BASELINE = "random_accuracy"
_LOSSES = ("loss", "policy_loss", "value_loss")
_DASHES = ("solid", "dashed", "dotted")
_FEW = 30  # points: so few are marked
_PERCENT = {":formatter": "value => `${+(100 * value).toPrecision(6)}%`"}

Curves = Mapping[str, Sequence[Point]]  # by column


class _Panel(NamedTuple):
    columns: Callable[[Sequence[Curves]], Sequence[str]]
    is_share: bool = False


def _fixed(*columns: str) -> Callable[[Sequence[Curves]], Sequence[str]]:
    return lambda runs: columns


def _losses(runs: Sequence[Curves]) -> Sequence[str]:
    """Returns the losses of the heads, those that only some runs have last."""
    auxiliary = sorted({name for curves in runs for name in curves if name.endswith("_loss")})
    return tuple(dict.fromkeys([*_LOSSES, *auxiliary]))


_PANELS = {
    "accuracy": _Panel(_fixed("accuracy_search", "accuracy_network"), is_share=True),
    "losses": _Panel(_losses),
    "learning rate": _Panel(_fixed("learning_rate")),
    "simulations/s": _Panel(_fixed("simulations_per_second")),
    "policy entropy": _Panel(_fixed("policy_entropy")),
    "distinct positions": _Panel(_fixed("distinct_positions"), is_share=True),
    "replay ratio": _Panel(_fixed("replay_ratio")),
    "results of self-play": _Panel(
        _fixed("first_player_wins", "draws", "second_player_wins"), is_share=True
    ),
}
TITLES = tuple(_PANELS)


def plot_panels(runs: Mapping[str, Curves], axis: Axis) -> dict[str, dict[str, Any]]:
    """Returns the options of each panel by its title; those without data are left out.

    Args:
      runs: The curves of each run by its name, in the order of their colours.
      axis: What x is.
    """
    plotted = {}
    for title, panel in _PANELS.items():
        series = _series(runs, panel.columns(list(runs.values())), axis)
        if series:
            plotted[title] = _options(title, series, axis, is_share=panel.is_share)
    if "accuracy" in plotted:
        _add_baselines(plotted["accuracy"], list(runs.values()))
    return plotted


def _series(runs: Mapping[str, Curves], columns: Sequence[str], axis: Axis) -> list[dict[str, Any]]:
    present = [name for name in columns if any(curves.get(name) for curves in runs.values())]
    is_told = len(present) > 1 or len(runs) == 1
    return [
        {
            "name": _name(run if len(runs) > 1 else "", column if is_told else ""),
            "type": "line",
            "data": [[_x(point, axis), _rounded(point.value)] for point in curves[column]],
            "showSymbol": len(curves[column]) <= _FEW,
            "symbolSize": 5,
            "lineStyle": {"type": _DASHES[min(dash, len(_DASHES) - 1)], "width": 1.6},
            "itemStyle": {"color": SERIES[colour % len(SERIES)]},
        }
        for colour, (run, curves) in enumerate(runs.items())
        for dash, column in enumerate(columns)
        if curves.get(column)
    ]


def _options(
    title: str, series: list[dict[str, Any]], axis: Axis, *, is_share: bool
) -> dict[str, Any]:
    return {
        "animation": False,
        "title": {"text": title, "textStyle": {"fontSize": 13}},
        "legend": {"type": "scroll", "bottom": 0, "show": len(series) > 1},
        "grid": {"left": 56, "right": 16, "top": 34, "bottom": 64},
        "tooltip": {"trigger": "axis"},
        "xAxis": {"type": "value", "name": _AXES[axis], "nameLocation": "middle", "nameGap": 24},
        "yAxis": {"type": "value", "scale": True, "axisLabel": _PERCENT if is_share else {}},
        "series": series,
    }


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


def _name(run: str, column: str) -> str:
    """Returns the name of a series: what sets it apart from the others of its panel."""
    words = column.removeprefix("accuracy_").replace("_", " ")
    return ": ".join(filter(None, [run, words]))


def _x(point: Point, axis: Axis) -> float:
    return point.iteration if axis == "iteration" else round(point.minutes, 3)


def _rounded(value: float) -> float:
    """Returns a value with as many digits as can be seen."""
    return float(f"{value:.5g}")
