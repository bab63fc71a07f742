"""The search tree: its principal variation with the best other moves, and what is opened of it."""

from collections.abc import Awaitable, Callable, Collection
from typing import Any

from nicegui import ui
from nicegui.events import EChartPointClickEventArguments

from azjax.page.analysis.rules import Rules, move_name
from azjax.page.analysis.summary import SearchSummary, TreeNode
from azjax.page.play.words import value_word
from azjax.page.values import describe_chance, value_colour
from azjax.support.plurals import count

_FEW = 3  # children that are shown of an open node
_SMALLEST, _LARGEST = 8, 24  # of a node's circle
_LEGEND = (
    "A thick line is what the search expects. The more visits, the larger the circle; violet wins "
    "and orange loses for the player to move. A click shows a position and opens what follows it."
)
_THICK = {"lineStyle": {"width": 3, "color": "#64748b"}}

Path = tuple[int, ...]  # the actions from the root to a node


class TreePanel:
    """The tree, of which a click opens more."""

    def __init__(self, on_node: Callable[[Path], Awaitable[None]]):
        """Builds the panel, which calls with the actions to the node that was clicked."""
        self._on_node = on_node
        self._chart = ui.echart({"series": []}, on_point_click=self._click, renderer="svg")
        self._chart.classes("w-full h-96").mark("tree")
        self._legend = ui.label(_LEGEND).classes("text-sm quiet")
        self._search: tuple[SearchSummary, Rules] | None = None
        self._opened: set[Path] = set()
        self._unfolded: set[Path] = set()  # of which all children are shown
        self._num_trees = 0
        self.clear()

    def show(self, analysis: SearchSummary, rules: Rules) -> None:
        """Shows a search, if it has a tree."""
        self._search = analysis, rules
        self._render()

    def clear(self) -> None:
        """Shows no tree, and closes what is open."""
        self._search, self._opened, self._unfolded = None, set(), set()
        self._render()

    def _render(self) -> None:
        """Replaces the tree: ECharts fails where a series of the same id loses nodes."""
        has_tree = self._search is not None and bool(self._search[0].nodes)
        for element in (self._chart, self._legend):
            element.set_visibility(has_tree)
        if self._search is None or not has_tree:
            return
        options = tree_chart(*self._search, self._opened, self._unfolded)
        self._num_trees += 1
        options["series"][0]["id"] = str(self._num_trees)
        self._chart.options.update(options)
        self._chart.run_chart_method("setOption", options, {"notMerge": True})

    async def _click(self, event: EChartPointClickEventArguments) -> None:
        data: dict[str, Any] = event.data if isinstance(event.data, dict) else {}
        if not isinstance(data.get("actions"), list):
            return
        actions = tuple(int(action) for action in data["actions"])
        (self._unfolded if data.get("is_fold") else self._opened).add(actions)
        self._render()
        if not data.get("is_fold"):
            await self._on_node(actions)


def tree_chart(
    analysis: SearchSummary,
    rules: Rules,
    opened: Collection[Path] = (),
    unfolded: Collection[Path] = (),
) -> dict[str, Any]:
    """Returns the ECharts options of a search tree.

    The children of the principal variation's nodes and of opened ones are shown, the best few, or
    all where they are unfolded. A circle grows with the visits; its colour tells the value for the
    player to move at the root, whose own value is the one that the search found.
    """
    line = tuple(analysis.found.principal_variation)
    children: dict[Path, list[TreeNode]] = {}
    for node in analysis.nodes[1:]:
        children.setdefault(node.actions[:-1], []).append(node)

    def render(node: TreeNode) -> dict[str, Any]:
        path, below = node.actions, []
        is_expected = path == line[: len(path)]
        if is_expected or path in opened:
            found = sorted(
                children.get(path, []),
                key=lambda one: (one.actions != line[: len(path) + 1], -one.visits),
            )
            few = found if path in unfolded or len(found) == _FEW + 1 else found[:_FEW]
            below = [render(one) for one in few]
            if len(few) < len(found):
                below.append(_fold(path, len(found) - len(few)))
        value = node.value if path else analysis.found.value
        share = (node.visits / analysis.nodes[0].visits) ** 0.5
        chance, name = describe_chance(value), move_name(rules.game, path[-1]) if path else ""
        words = f"{count(node.visits, 'visit')}, {value_word(rules.game)} {chance}"
        return {
            "name": name or chance,
            "value": node.visits,  # without one NiceGUI tells no click
            "tooltip": {"formatter": f"{{b}}: {words}" if name else words},
            "actions": list(path),
            "symbolSize": _SMALLEST + (_LARGEST - _SMALLEST) * share,
            "itemStyle": {"color": value_colour(value)},
            "children": below,
        } | (_THICK if path and is_expected else {})

    series = {
        "type": "tree",
        "data": [render(analysis.nodes[0])],
        "symbol": "circle",
        "orient": "TB",
        "roam": True,
        "expandAndCollapse": False,
        "initialTreeDepth": -1,
        **{"top": 26, "bottom": 16, "left": 24, "right": 24},
        "labelLayout": {"hideOverlap": True},
        "label": {"position": "right", "distance": 3, "fontSize": 11},
        "itemStyle": {"borderColor": "#64748b", "borderWidth": 1},
        "lineStyle": {"color": "#94a3b8", "width": 1},
    }
    return {"animation": False, "tooltip": {}, "series": [series]}


def _fold(path: Path, hidden: int) -> dict[str, Any]:
    """Returns what stands for the children of a node that are not shown."""
    return {
        "name": f"+{hidden}",
        "value": hidden,
        "tooltip": {"formatter": "shows them"},
        "actions": list(path),
        "is_fold": True,
        "symbolSize": 7,
        "itemStyle": {"color": "#94a3b8"},
        "children": [],
    }
