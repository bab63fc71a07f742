"""ECharts options of the chance of winning over a game."""

from collections.abc import Sequence
from typing import Any

from azjax.page.colours import FIRST
from azjax.page.moves.chances import win_percent

PERCENT_AXIS = {"min": 0, "max": 100, "interval": 50, "axisLabel": {"formatter": "{value}%"}}


def win_chart(values: Sequence[float | None], moves: Sequence[str], ply: int) -> dict[str, Any]:
    """Returns the chance that X wins, a draw as half a win, over the moves of a game.

    Args:
      values: By ply, 1 for a win of X to -1, or None where it is not known.
      moves: In the game's notation; `moves[i]` leads to ply i + 1.
      ply: The one that is shown, which is marked.
    """
    points = [None if value is None else win_percent(value) for value in values]
    names = ["start", *(f"{i}. {move}" for i, move in enumerate(moves, 1))]
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
                "markLine": {
                    "silent": True,
                    "symbol": "none",
                    "label": {"show": False},
                    "data": [{"xAxis": ply}],
                },
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
