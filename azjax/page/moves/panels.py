"""The chance of winning over a game, and the moves of a position, beside a board."""

from collections.abc import Awaitable, Callable, Mapping, Sequence

from nicegui import ui
from nicegui.events import EChartPointClickEventArguments

from azjax.page.analysis.rules import Rules
from azjax.page.analysis.search_analysis import SearchSummary
from azjax.page.moves.move_table import move_table
from azjax.page.moves.win_chart import win_chart

# Shows on the board the move whose row is pointed at, without a word to the server.
_POINT = """(event) => {
  const row = event.target.closest("[data-for]");
  document.querySelectorAll(".pointed.on").forEach(x => x.classList.remove("on"));
  if (row) document.querySelectorAll(`.pointed[data-for="${row.dataset.for}"]`)
    .forEach(x => x.classList.add("on"));
}"""


class WinPanel:
    """The chance that X wins, over the moves of a game."""

    def __init__(self, on_ply: Callable[[int], Awaitable[None]]):
        """Builds the panel; a click on a position of the game calls with its ply."""
        self._on_ply = on_ply
        ui.label("Chance that X wins").classes("text-sm text-slate-600")
        options = win_chart([None], [], 0)
        self._chart = ui.echart(options, on_point_click=self._click, renderer="svg")
        self._chart.classes("w-full h-40").mark("wins")

    def show(self, values: Sequence[float | None], moves: Sequence[str], ply: int) -> None:
        """Shows a game; arguments as those of `win_chart`."""
        self._chart.options.update(win_chart(values, moves, ply))
        self._chart.update()

    async def _click(self, event: EChartPointClickEventArguments) -> None:
        await self._on_ply(int(event.data_index))


class MovePanel:
    """The moves that a search has looked at; the board shows the one that is pointed at."""

    def __init__(self):
        """Builds the panel, which is empty; a page with it has `TABLE_STYLES`."""
        self._table = ui.html("", sanitize=False).classes("w-full overflow-x-auto").mark("moves")
        self._table.on("mouseover", js_handler=_POINT)
        self._table.on("mouseleave", js_handler=_POINT)

    def show(self, analysis: SearchSummary, rules: Rules, exact: Mapping[int, int]) -> None:
        """Shows a search; arguments as those of `move_table`."""
        self._table.set_content(move_table(analysis, rules, exact))

    def clear(self) -> None:
        """Shows no search."""
        self._table.set_content("")
