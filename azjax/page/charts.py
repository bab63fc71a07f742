"""What the charts of lines have in common, as ECharts options."""

from collections.abc import Iterable, Sequence
from typing import Any

from nicegui import ui

PERCENT_AXIS = {"min": 0, "max": 100, "interval": 50, "axisLabel": {"formatter": "{value}%"}}


def add_chart(marker: str) -> ui.echart:
    """Adds an empty chart."""
    return ui.echart({"series": []}, renderer="svg").classes("w-full h-72").mark(marker)


def plot(chart: ui.echart, options: dict[str, Any]) -> None:
    """Shows other options in a chart."""
    chart.options.clear()
    chart.options.update(options)
    chart.update()


def line_chart(
    title: str, x_axis: dict[str, Any], y_axis: dict[str, Any], series: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """Returns the options of a chart of lines, with a legend where there are several."""
    return {
        "animation": False,
        "title": {"text": title, "textStyle": {"fontSize": 13}, "itemGap": 14},
        "legend": {"type": "scroll", "bottom": 0, "show": len(series) > 1},
        "grid": {"left": 56, "right": 16, "top": 34, "bottom": 64},
        "tooltip": {"trigger": "axis"},
        "xAxis": {"type": "value", "nameLocation": "middle", "nameGap": 24} | x_axis,
        "yAxis": {"type": "value"} | y_axis,
        "series": list(series),
    }


def line(name: str, points: Iterable[tuple[float, float]], colour: str) -> dict[str, Any]:
    """Returns a series of a chart of lines, of points x and y."""
    data = [list(point) for point in points]
    return {"name": name, "type": "line", "data": data, "itemStyle": {"color": colour}}
