"""ECharts options of the play view: the chance of winning, and the search tree."""

from collections.abc import Sequence
from typing import Any

from azjax.page.analysis.report import Analysis
from azjax.page.analysis.rules import Rules
from azjax.page.style import FIRST, LOSES, WINS

_FADED = "#d9d9d9"
_SMALLEST, _LARGEST = 8, 34  # of a node's circle


def win_chart(values: Sequence[float | None], moves: Sequence[str], ply: int) -> dict[str, Any]:
    """Returns the chance that X wins, a draw as half a win, over the moves of a game.

    Args:
      values: By ply, 1 for a win of X to -1, or None where it is not known.
      moves: In the game's notation; `moves[i]` leads to ply i + 1.
      ply: The one that is shown, which is marked.
    """
    points = [None if value is None else round(50 * (1 + value), 1) for value in values]
    names = ["start", *(f"{i}. {move}" for i, move in enumerate(moves, 1))]
    return {
        "animation": False,
        "grid": {"left": 40, "right": 12, "top": 12, "bottom": 24},
        "tooltip": {"trigger": "axis"},
        "xAxis": {"type": "category", "data": names, "boundaryGap": False},
        "yAxis": {"min": 0, "max": 100, "interval": 50, "axisLabel": {"formatter": "{value}%"}},
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
            {  # invisible, so that a click anywhere above a move counts
                "type": "bar",
                "data": [100] * len(points),
                "barWidth": "100%",
                "itemStyle": {"opacity": 0},
                "tooltip": {"show": False},
            },
        ],
    }


def tree_chart(analysis: Analysis | None, rules: Rules | None) -> dict[str, Any]:
    """Returns a search tree: a circle grows with the visits, its colour tells the value.

    Without a search, or where it has no tree, there is the root alone.
    """
    if analysis is None or rules is None or not analysis.nodes:
        return _tree_options({"name": "", "symbolSize": 0})
    data: dict[int, dict[str, Any]] = {}
    most = max(node.visits for node in analysis.nodes)
    for node in analysis.nodes:
        move = rules.game.format_action(node.actions[-1]) if node.actions else "position"
        data[node.number] = {
            "name": move,
            "value": [node.visits, round(node.value, 3)],
            "actions": list(node.actions),
            "symbolSize": _SMALLEST + (_LARGEST - _SMALLEST) * (node.visits / most) ** 0.5,
            "itemStyle": {"color": value_colour(node.value)},
            "children": [],
        }
        if node.parent is not None:
            data[node.parent]["children"].append(data[node.number])
    return _tree_options(data[0])


def _tree_options(root: dict[str, Any]) -> dict[str, Any]:
    return {
        "animation": False,
        "tooltip": {"formatter": "{b}: visits, value {c}"},
        "series": [
            {
                "type": "tree",
                "data": [root],
                "symbol": "circle",
                "layout": "orthogonal",
                "orient": "TB",
                "roam": True,
                "expandAndCollapse": False,
                "initialTreeDepth": -1,
                "top": 30,
                "bottom": 30,
                "left": 20,
                "right": 20,
                "label": {"position": "top", "distance": 4, "fontSize": 10},
                "itemStyle": {"borderColor": "#666", "borderWidth": 1},
                "lineStyle": {"color": _FADED},
            }
        ],
    }


def value_colour(value: float) -> str:
    """Returns the colour of a value: white for 0, the colour of wins for 1, of losses for -1."""
    end = WINS if value > 0 else LOSES
    weight = min(1.0, abs(value))
    channels = (int(end[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round(255 + weight * (channel - 255)):02x}" for channel in channels)
