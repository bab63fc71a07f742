"""ECharts options over the iterations of a run: the start, and ratings."""

from collections.abc import Mapping, Sequence
from typing import Any

from azjax.page.colours import FIRST, SERIES
from azjax.page.evolution.opening import OTHERS
from azjax.page.evolution.ratings import RatedNetwork
from azjax.page.moves.chances import win_percent
from azjax.page.moves.win_chart import PERCENT_AXIS

_GREY = "#d9d9d9"
_GRID = {"left": 52, "right": 16, "top": 34, "bottom": 48}


def policy_chart(
    iterations: Sequence[int], shares: Mapping[str, Sequence[float]]
) -> dict[str, Any]:
    """Returns the policy of the start over iterations, as areas upon each other.

    Args:
      iterations: Those of the networks.
      shares: By move, a share for each of them.
    """
    series = []
    for number, (move, values) in enumerate(shares.items()):
        colour = _GREY if move == OTHERS else SERIES[number % len(SERIES)]
        points = [[i, _rounded(value)] for i, value in zip(iterations, values, strict=True)]
        area = {"stack": "policy", "areaStyle": {"opacity": 0.7}}
        series.append(_line(move, points, colour) | area)
    return {
        **_frame("policy of the start"),
        "legend": {"type": "scroll", "bottom": 0},
        "xAxis": _iteration_axis(),
        "yAxis": {"min": 0, "max": 1},
        "series": series,
    }


def opening_value_chart(iterations: Sequence[int], values: Sequence[float]) -> dict[str, Any]:
    """Returns the chance that X wins from the start, of values for X, over iterations."""
    points = [[i, win_percent(value)] for i, value in zip(iterations, values, strict=True)]
    return {
        **_frame("chance that X wins"),
        "xAxis": _iteration_axis(),
        "yAxis": PERCENT_AXIS,
        "series": [_line("X wins, %", points, FIRST)],
    }


def elo_chart(rated: Sequence[RatedNetwork]) -> dict[str, Any]:
    """Returns the ratings of a run's networks over iterations, between the ends of intervals."""
    ends = [
        _line(f"95% interval, {name}", [[one.iteration, round(end)] for one, end in found], FIRST)
        | {"lineStyle": {"type": "dashed", "width": 1}, "showSymbol": False}
        for name, found in (
            ("low", [(one, one.low) for one in rated]),
            ("high", [(one, one.high) for one in rated]),
        )
    ]
    elo = _line("Elo above random", [[one.iteration, round(one.elo)] for one in rated], FIRST)
    return {
        **_frame("Elo above random"),
        "xAxis": _iteration_axis(),
        "yAxis": {"type": "value", "scale": True},
        "series": [elo, *ends],
    }


def _frame(title: str) -> dict[str, Any]:
    return {
        "animation": False,
        "title": {"text": title, "textStyle": {"fontSize": 13}},
        "grid": _GRID,
        "tooltip": {"trigger": "axis"},
    }


def _line(name: str, data: Sequence[Any], colour: str) -> dict[str, Any]:
    return {"name": name, "type": "line", "data": list(data), "itemStyle": {"color": colour}}


def _iteration_axis() -> dict[str, Any]:
    place = {"nameLocation": "middle", "nameGap": 22}
    return {"type": "value", "name": "iteration", "min": "dataMin", "max": "dataMax", **place}


def _rounded(share: float) -> float:
    return round(share, 4)
