"""What the search thinks: the chance of winning, the moves, and the tree."""

from collections.abc import Awaitable, Callable, Sequence

from nicegui import ui
from nicegui.events import EChartPointClickEventArguments

from azjax.page.analysis.rules import Rules
from azjax.page.analysis.search_analysis import MOST_NODES, SearchSummary
from azjax.page.moves.panels import MovePanel, WinPanel
from azjax.page.play.tree_chart import tree_chart

_LEGEND = (
    "Each circle is a position: the more visits, the larger; violet wins and orange loses for the "
    "player to move at the top. A click shows the position on the board."
)


class AnalysisPanel:
    """The charts and the table beside the board."""

    def __init__(
        self,
        on_ply: Callable[[int], Awaitable[None]],
        on_node: Callable[[tuple[int, ...]], Awaitable[None]],
    ):
        """Builds the panel.

        Args:
          on_ply: Called with the ply that was clicked in the chart.
          on_node: Called with the actions from the position to the node that was clicked.
        """
        self._on_node = on_node
        self._wins = WinPanel(on_ply)
        self._title = ui.label().classes("text-sm text-slate-600").mark("searched")
        self._moves = MovePanel()
        self._tree = ui.echart(
            tree_chart(None, None), on_point_click=self._click_node, renderer="svg"
        )
        self._tree.classes("w-full h-96").mark("tree")
        self._legend = ui.label(_LEGEND).classes("text-sm text-slate-600").mark("legend")
        self._legend.set_visibility(False)
        self._num_trees = 0

    def show_values(self, values: Sequence[float | None], moves: Sequence[str], ply: int) -> None:
        """Shows the chance of winning over the game; arguments as those of `win_chart`."""
        self._wins.show(values, moves, ply)

    def show_title(self, text: str) -> None:
        """Shows what is searched, without a result."""
        self._title.set_text(text)

    def show_search(
        self, name: str, analysis: SearchSummary, rules: Rules, exact: dict[int, int]
    ) -> None:
        """Shows a search, by the player of that name, so far."""
        self._title.set_text(search_title(name, analysis))
        self._moves.show(analysis, rules, exact)
        self._show_tree(analysis, rules)

    def clear_search(self) -> None:
        """Shows no search."""
        self.show_title("")
        self._moves.clear()
        self._show_tree(None, None)

    def _show_tree(self, analysis: SearchSummary | None, rules: Rules | None) -> None:
        """Replaces the tree: ECharts fails where a series of the same id loses nodes."""
        options = tree_chart(analysis, rules)
        self._legend.set_visibility(analysis is not None and bool(analysis.nodes))
        self._num_trees += 1
        options["series"][0]["id"] = str(self._num_trees)
        self._tree.options.update(options)
        self._tree.run_chart_method("setOption", options, {"notMerge": True})

    async def _click_node(self, event: EChartPointClickEventArguments) -> None:
        if isinstance(event.data, dict) and isinstance(event.data.get("actions"), list):
            await self._on_node(tuple(int(action) for action in event.data["actions"]))


def search_title(name: str, analysis: SearchSummary) -> str:
    """Returns who has searched and how far, and that the tree is larger where it is cut off."""
    title = f"{name}: {analysis.simulations:,} simulations"
    is_cut = analysis.num_visited > MOST_NODES
    return f"{title}; the tree shows its {MOST_NODES} most visited positions" if is_cut else title
