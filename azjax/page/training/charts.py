"""ECharts options of learning curves, several runs laid over each other."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from azjax.page.charts import line, line_chart
from azjax.page.values import SERIES
from azjax.runs.reporting.growing_metrics import Point

Axis = Literal["minutes", "iteration", "positions", "simulations"]
AXES: Mapping[Axis, str] = {
    "minutes": "minutes of training",
    "iteration": "iterations",
    "positions": "positions of self-play",
    "simulations": "simulations of self-play",
}
_BASELINE = "random_accuracy"
_DASHES = {"solid": "\u2014", "dashed": "- -", "dotted": "\u00b7\u00b7\u00b7"}  # as in text
_FEW = 30  # points: so few are marked
_AS_PERCENT = "value => `${+(100 * value).toPrecision(6)}%`"
_ZOOM = {
    "title": {"zoom": "drag over a part of the chart", "back": "zoom out again"},
    "filterMode": "none",  # else lines would end at their last point inside
}
_LOG: dict[str, Any] = {"type": "log", "min": None, "max": None}  # forgets earlier ends
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
USUAL = tuple(_PANELS)

Curves = Mapping[str, Sequence[Point]]  # by column


class ChartStyle(NamedTuple):
    """How curves are drawn."""

    axis: Axis = "minutes"  # what x is
    smoothing: float = 0.0  # the weight of earlier values in a moving average
    log_x: bool = False
    log_y: bool = False


def find_panels(runs: Iterable[Curves]) -> dict[str, tuple[str, ...]]:
    """Returns the columns of each panel by its title, the usual ones first.

    Each other column that a run has is a panel of its own.
    """
    present = dict.fromkeys(name for curves in runs for name in curves)
    losses = sorted(name for name in present if name.endswith("_loss"))
    usual = _PANELS | {"losses": tuple(dict.fromkeys([*_PANELS["losses"], *losses]))}
    panels = {
        title: found
        for title, columns in usual.items()
        if (found := tuple(column for column in columns if column in present))
    }
    named = {column for columns in panels.values() for column in columns}
    return panels | {x.replace("_", " "): (x,) for x in sorted(present.keys() - named)}


def plot_panels(
    runs: Mapping[str, Curves], titles: Iterable[str], style: ChartStyle
) -> dict[str, dict[str, Any]]:
    """Returns the options of panels by their titles; those without data are left out.

    Args:
      runs: The curves of each run by its name, in the order of their colours.
      titles: Of the panels.
      style: How they are drawn.
    """
    panels = find_panels(runs.values())
    plotted = {
        title: _plot(title, _series(runs, panels[title], style), style)
        for title in titles
        if title in panels
    }
    if len(runs) > 1:  # their cards tell the colours
        for title, options in plotted.items():
            options["legend"] |= {"show": False}
            options["title"] |= {"subtext": _describe_dashes(panels[title])}
            options["grid"] |= {"top": 48, "bottom": 44}
    if "accuracy" in plotted:
        _add_baselines(plotted["accuracy"], list(runs.values()), is_log=style.log_y)
    return plotted


def _plot(title: str, series: list[dict[str, Any]], style: ChartStyle) -> dict[str, Any]:
    unit = "iteration ${x}" if style.axis == "iteration" else f"${{x}} {style.axis}"
    number = "(+value.toPrecision(5)).toLocaleString('en')"
    x_axis = {
        "name": AXES[style.axis],
        "type": "log" if style.log_x else "value",
        "axisLabel": {"hideOverlap": True},
        "axisPointer": {
            "label": {":formatter": f"({{value}}) => {{const x = {number}; return `{unit}`}}"}
        },
    }
    y_axis = _LOG if style.log_y else {"type": "value", "scale": True}
    if title in _SHARES:
        y_axis = y_axis | {"axisLabel": {":formatter": _AS_PERCENT}}
    options = line_chart(title, x_axis, y_axis, series)
    options["toolbox"] = {"itemSize": 12, "right": 8, "feature": {"dataZoom": _ZOOM}}
    options["tooltip"] |= {":valueFormatter": _AS_PERCENT} if title in _SHARES else {}
    return options


def _series(
    runs: Mapping[str, Curves], columns: Sequence[str], style: ChartStyle
) -> list[dict[str, Any]]:
    is_told = len(columns) > 1 or len(runs) == 1
    series = []
    for number, (run, curves) in enumerate(runs.items()):
        for rank, column in enumerate(columns):
            if points := curves.get(column):
                words = _words(column) if is_told else ""
                name = ": ".join(filter(None, [run if len(runs) > 1 else "", words]))
                dash = [*_DASHES][min(rank, len(_DASHES) - 1)]
                series.append(
                    line(name, _place(points, style), SERIES[number % len(SERIES)])
                    | {"showSymbol": len(points) <= _FEW, "symbol": "circle", "symbolSize": 4}
                    | {"lineStyle": {"type": dash, "width": 1.6}}
                )
    return series


def _describe_dashes(columns: Sequence[str]) -> str:
    """Returns which line is which column, where there are several."""
    words = [f"{dash} {_words(x)}" for dash, x in zip(_DASHES.values(), columns, strict=False)]
    return "   ".join(words) if len(columns) > 1 else ""


def _words(column: str) -> str:
    return column.removeprefix("accuracy_").replace("_", " ")


def _place(points: Iterable[Point], style: ChartStyle) -> Iterator[tuple[float, float]]:
    """Yields x and y of points; a logarithmic axis has no place for those that are not positive."""
    mean = weight = 0.0
    for point in points:
        mean = style.smoothing * mean + (1 - style.smoothing) * point.value
        weight = style.smoothing * weight + 1 - style.smoothing
        x, y = round(getattr(point, style.axis), 3), _rounded(mean / weight)
        if (x > 0 or not style.log_x) and (y > 0 or not style.log_y):
            yield x, y


def _add_baselines(options: dict[str, Any], runs: Sequence[Curves], *, is_log: bool) -> None:
    """Adds a line at the accuracy of random play to a panel, one for each that differs."""
    shares = dict.fromkeys(
        _rounded(curves[_BASELINE][-1].value) for curves in runs if curves.get(_BASELINE)
    )
    series = options["series"]
    lowest = min([*shares, *(y for one in series for _, y in one["data"])], default=0)
    if not is_log:
        options["yAxis"] |= {"min": math.floor(20 * lowest) / 20, "max": 1}  # a line widens no axis
    series[0]["markLine"] = {
        "silent": True,
        "symbol": "none",
        "lineStyle": {"color": "#7a7a7a", "type": "dotted"},
        "label": {"formatter": "random play", "position": "insideEndTop"},
        "data": [{"yAxis": share} for share in shares],
    }


def _rounded(value: float) -> float:
    """Returns a value with as many digits as can be seen."""
    return float(f"{value:.5g}")
