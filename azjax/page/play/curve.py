"""The values of a game over its moves, as a curve below the board."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from nicegui import ui
from nicegui.events import EChartPointClickEventArguments

from azjax.page.charts import PERCENT_AXIS
from azjax.page.values import FIRST, win_percent


class WinPanel:
    """The chance that X wins, over the moves of a game."""

    def __init__(self, on_ply: Callable[[int], Awaitable[None]]):
        """Builds the panel; a click on a position of the game calls with its ply."""
        self._on_ply = on_ply
        ui.label("Chance that X wins").classes("text-sm quiet")
        options = win_chart([None], [], 0)
        self._chart = ui.echart(options, on_point_click=self._click, renderer="svg")
        self._chart.classes("w-full h-40").mark("wins")

    def show(self, values: Sequence[float | None], moves: Sequence[str], ply: int) -> None:
        self._chart.options.update(win_chart(values, moves, ply))
        self._chart.update()

    async def _click(self, event: EChartPointClickEventArguments) -> None:
        await self._on_ply(int(event.data_index))


def win_chart(values: Sequence[float | None], moves: Sequence[str], ply: int) -> dict[str, Any]:
    """Returns the ECharts options of the chance that X wins over the moves of a game.

    Args:
      values: By ply, 1 for a win of X to -1, or None where it is not known.
      moves: In the game's notation; `moves[i]` leads to ply i + 1.
      ply: The one that is shown, which is marked.
    """
    points = [None if value is None else win_percent(value) for value in values]
    names = ["start", *(f"{i}. {move}" for i, move in enumerate(moves, 1))]
    mark = {"silent": True, "symbol": "none", "label": {"show": False}, "data": [{"xAxis": ply}]}
    return {
        "animation": False,
        "grid": {"left": 40, "right": 12, "top": 12, "bottom": 24},
        "tooltip": {"trigger": "axis"},
        "xAxis": {"type": "category", "data": names, "boundaryGap": False},
        "yAxis": PERCENT_AXIS,
        "series": [
            {
                "name": "X wins, %",
                "type": "line",
                "data": points,
                "connectNulls": True,
                "symbolSize": 8,
                "itemStyle": {"color": FIRST},
                "areaStyle": {"opacity": 0.15, "origin": "start"},
                "markLine": mark,
            },
            {  # invisible, in front of the line, whose z is 3: a click anywhere above a move counts
                "type": "bar",
                "z": 4,
                "data": [100] * len(points),
                "barWidth": "100%",
                "itemStyle": {"opacity": 0},
                "tooltip": {"show": False},
            },
        ],
    }
