"""ECharts options of the search tree."""

from typing import Any

from azjax.page.analysis.rules import Rules
from azjax.page.analysis.search_analysis import SearchSummary, TreeNode
from azjax.page.moves.chances import describe_chance, value_colour

_FADED = "#d9d9d9"
_SMALLEST, _LARGEST = 8, 34  # of a node's circle


def tree_chart(analysis: SearchSummary | None, rules: Rules | None) -> dict[str, Any]:
    """Returns a search tree: a circle grows with the visits, its colour tells the value.

    Values are those for the player to move at the root.

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
            "value": node.visits,  # without one NiceGUI tells no click
            "tooltip": {"formatter": f"{{b}}: {_describe(node)}"},
            "actions": list(node.actions),
            "symbolSize": _SMALLEST + (_LARGEST - _SMALLEST) * (node.visits / most) ** 0.5,
            "itemStyle": {"color": value_colour(node.value)},
            "children": [],
        }
        if node.parent is not None:
            data[node.parent]["children"].append(data[node.number])
    return _tree_options(data[0])


def _describe(node: TreeNode) -> str:
    visits = "1 visit" if node.visits == 1 else f"{node.visits:,} visits"
    return f"{visits}, chance of winning {describe_chance(node.value)}"


def _tree_options(root: dict[str, Any]) -> dict[str, Any]:
    return {
        "animation": False,
        "tooltip": {},
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
                "labelLayout": {"hideOverlap": True},
                "label": {"position": "top", "distance": 4, "fontSize": 10},
                "itemStyle": {"borderColor": "#666", "borderWidth": 1},
                "lineStyle": {"color": _FADED},
            }
        ],
    }
