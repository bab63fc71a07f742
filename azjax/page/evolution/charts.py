"""ECharts options of the view: a game's values, the opening over iterations, and ratings."""

from collections.abc import Mapping, Sequence
from typing import Any

from azjax.page.evolution.opening import OTHERS
from azjax.page.evolution.ratings import RatedNetwork
from azjax.page.style import FIRST, SERIES

_GREY = "#d9d9d9"
_GRID = {"left": 52, "right": 16, "top": 34, "bottom": 48}


def value_chart(values: Sequence[float | None], moves: Sequence[str], ply: int) -> dict[str, Any]:
    """Returns the value for X over a game.

    Args:
      values: By ply; None where it is not known.
      moves: In the game's notation; `moves[i]` leads to ply i + 1.
      ply: The one that is shown, which is marked.
    """
    names = ["start", *(f"{i}. {move}" for i, move in enumerate(moves, 1))]
    series = _line("value for X", [_rounded(value) for value in values], FIRST)
    mark = {"silent": True, "symbol": "none", "label": {"show": False}, "data": [{"xAxis": ply}]}
    return {
        **_frame("value for X"),
        "xAxis": {"type": "category", "data": names, "boundaryGap": False},
        "yAxis": {"min": -1, "max": 1},
        "series": [series | {"connectNulls": True, "symbolSize": 8, "markLine": mark}],
    }


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
    """Returns the value of the start, for the player to move, over iterations."""
    points = [[i, _rounded(value)] for i, value in zip(iterations, values, strict=True)]
    return {
        **_frame("value of the start"),
        "xAxis": _iteration_axis(),
        "yAxis": {"min": -1, "max": 1},
        "series": [_line("value", points, FIRST)],
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


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
