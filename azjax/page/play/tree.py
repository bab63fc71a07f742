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
    "Thick: what the search expects. Large: many visits. Violet wins, orange loses for the player "
    "to move. A click shows a position, and opens what follows it."
)
_FOLD = {  # what stands for the children that are not shown
    **{"is_fold": True, "symbolSize": 7, "itemStyle": {"color": "#94a3b8"}, "children": []},
    "tooltip": {"formatter": "shows them"},
}
_SERIES = {
    **{"type": "tree", "symbol": "circle", "orient": "TB", "roam": True},
    **{"expandAndCollapse": False, "initialTreeDepth": -1, "labelLayout": {"hideOverlap": True}},
    **{"top": 26, "bottom": 16, "left": 24, "right": 24},
    "label": {"position": "right", "distance": 3, "fontSize": 11},
    "itemStyle": {"borderColor": "#64748b", "borderWidth": 1},
    "lineStyle": {"color": "#94a3b8", "width": 1},
}
_THICK = {"lineStyle": {"width": 3, "color": "#64748b"}}

Path = tuple[int, ...]  # the actions from the root to a node


class TreePanel:
    """The tree, of which a click opens more."""

    def __init__(self, on_node: Callable[[Path], Awaitable[None]]):
        """Builds the panel, which calls with the actions to the node that was clicked."""
        self._on_node = on_node
        with ui.column().classes("w-full gap-1") as self._panel:
            self._chart = ui.echart({"series": []}, on_point_click=self._click, renderer="svg")
            self._chart.classes("w-full h-96").mark("tree")
            ui.label(_LEGEND).classes("text-sm quiet")
        self._search: tuple[SearchSummary, Rules] | None = None
        self._opened: set[Path] = set()
        self._unfolded: set[Path] = set()  # of which all children are shown
        self._num_trees = 0
        self.clear()

    def clear(self) -> None:
        """Shows no tree, and closes what is open."""
        self._search, self._opened, self._unfolded = None, set(), set()
        self._panel.classes("invisible")

    def show(self, analysis: SearchSummary, rules: Rules) -> None:
        """Shows a search, if it has a tree: a new one, as ECharts fails where one loses nodes."""
        self._search = analysis, rules
        if analysis.nodes:
            options = tree_chart(analysis, rules, self._opened, self._unfolded)
            self._num_trees += 1
            options["series"][0]["id"] = str(self._num_trees)
            self._chart.options.update(options)
            self._chart.run_chart_method("setOption", options, {"notMerge": True})
            self._panel.classes(remove="invisible")

    async def _click(self, event: EChartPointClickEventArguments) -> None:
        data: dict[str, Any] = event.data if isinstance(event.data, dict) else {}
        if self._search is None or not isinstance(data.get("actions"), list):
            return
        actions = tuple(int(action) for action in data["actions"])
        (self._unfolded if data.get("is_fold") else self._opened).add(actions)
        self.show(*self._search)
        if not data.get("is_fold"):
            await self._on_node(actions)


def tree_chart(
    analysis: SearchSummary, rules: Rules, opened: Collection[Path], unfolded: Collection[Path]
) -> dict[str, Any]:
    """Returns the ECharts options of a search tree.

    The children of the principal variation's nodes and of opened ones are shown, the best few, or
    all where they are unfolded. A circle grows with the visits; its colour tells the value for the
    player to move at the root, whose own value is the one that the search found.
    """
    line = tuple(analysis.found.principal_variation)
    children: dict[Path, list[TreeNode]] = {}
    root, *others = analysis.nodes
    for node in others:
        children.setdefault(node.actions[:-1], []).append(node)

    def render(node: TreeNode) -> dict[str, Any]:
        path, below = node.actions, []
        is_expected = path == line[: len(path)]
        if is_expected or path in opened:
            expected = line[: len(path) + 1]
            found = children.get(path, [])
            found.sort(key=lambda one: (one.actions != expected, -one.visits))
            few = found if path in unfolded or len(found) == _FEW + 1 else found[:_FEW]
            below = [render(one) for one in few]
            if hidden := len(found) - len(few):
                below.append({"name": f"+{hidden}", "value": hidden, "actions": [*path]} | _FOLD)
        value = node.value if path else analysis.found.value
        share = (node.visits / root.visits) ** 0.5
        chance, name = describe_chance(value), move_name(rules.game, path[-1]) if path else ""
        words = f"{count(node.visits, 'visit')}, {value_word(rules.game)} {chance}"
        shown: dict[str, Any] = {"name": name or chance, "actions": [*path], "children": below}
        shown |= {"symbolSize": _SMALLEST + (_LARGEST - _SMALLEST) * share}
        shown |= {"itemStyle": {"color": value_colour(value)}, "value": node.visits}  # for clicks
        shown |= {"tooltip": {"formatter": f"{{b}}: {words}" if name else words}}
        return shown | (_THICK if path and is_expected else {})

    return {"animation": False, "tooltip": {}, "series": [{"data": [render(root)], **_SERIES}]}
