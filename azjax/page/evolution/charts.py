"""ECharts options over the iterations of a run: the start, and ratings."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from azjax.page.evolution.networks import OTHERS
from azjax.page.evolution.ratings import RatedNetwork
from azjax.page.moves import PERCENT_AXIS
from azjax.page.values import FIRST, SERIES, win_percent

_GREY = "#d9d9d9"


def policy_chart(
    iterations: Sequence[int], shares: Mapping[str, Sequence[float]]
) -> dict[str, Any]:
    """Returns the policy of the start, as areas upon each other.

    Args:
      iterations: Of the networks.
      shares: By move, a share for each of them.
    """
    series = []
    for number, (move, values) in enumerate(shares.items()):
        colour = _GREY if move == OTHERS else SERIES[number % len(SERIES)]
        points = zip(iterations, (round(value, 4) for value in values), strict=True)
        area = {"stack": "policy", "areaStyle": {"opacity": 0.7}}
        series.append(_line(move, points, colour) | area)
    legend = {"legend": {"type": "scroll", "bottom": 0}}
    return _chart("policy of the start", {"min": 0, "max": 1}, series) | legend


def opening_value_chart(iterations: Sequence[int], values: Sequence[float]) -> dict[str, Any]:
    """Returns the chance that X wins from the start, of values for X."""
    points = zip(iterations, map(win_percent, values), strict=True)
    return _chart("chance that X wins", PERCENT_AXIS, [_line("X wins, %", points, FIRST)])


def elo_chart(rated: Sequence[RatedNetwork]) -> dict[str, Any]:
    """Returns the ratings of a run's networks, between the ends of intervals."""
    dashed = {"lineStyle": {"type": "dashed", "width": 1}, "showSymbol": False}
    series = [
        _line("Elo above random", [(one.iteration, round(one.elo)) for one in rated], FIRST),
        _line("95% interval, low", [(one.iteration, round(one.low)) for one in rated], FIRST)
        | dashed,
        _line("95% interval, high", [(one.iteration, round(one.high)) for one in rated], FIRST)
        | dashed,
    ]
    return _chart("Elo above random", {"type": "value", "scale": True}, series)


def _chart(title: str, y_axis: Mapping[str, Any], series: list[dict[str, Any]]) -> dict[str, Any]:
    place = {"nameLocation": "middle", "nameGap": 22}
    return {
        "animation": False,
        "title": {"text": title, "textStyle": {"fontSize": 13}},
        "grid": {"left": 52, "right": 16, "top": 34, "bottom": 48},
        "tooltip": {"trigger": "axis"},
        "xAxis": {"type": "value", "name": "iteration", "min": "dataMin", "max": "dataMax"} | place,
        "yAxis": y_axis,
        "series": series,
    }


def _line(name: str, points: Iterable[tuple[int, float]], colour: str) -> dict[str, Any]:
    data = [list(point) for point in points]
    return {"name": name, "type": "line", "data": data, "itemStyle": {"color": colour}}
