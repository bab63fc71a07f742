"""The chance of winning over a game, and the moves of a position, beside a board."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from nicegui import ui
from nicegui.events import EChartPointClickEventArguments

from azjax.page.analysis.rules import Rules
from azjax.page.analysis.summary import SearchSummary
from azjax.page.charts import PERCENT_AXIS
from azjax.page.values import FIRST, VALUE_WORDS, describe_chance, value_colour, win_percent

_MOST_ROWS = 30
_DARK = 0.6  # a value whose colour needs white text
_HEADS = {
    "move": "bold: the move that is played, the best of those that were searched most",
    "prior": "of the network",
    "visits": "simulations that begin with the move",
    "wins": "chance that the player to move wins, by the Q-value",
    "policy": "improved by the search, as training learns it; it may prefer a move of few visits",
    "exact": "with best play",
    "variation": "the most visited moves from here",
}
_HEAD_SLOT = '<q-th :props="props" :title="props.col.title">{{ props.col.label }}</q-th>'
_ROW_SLOT = """<q-tr :props="props" :data-for="props.row.action">
  <q-td v-for="col in props.cols" :key="col.name" :props="props" class="tabular-nums"
    :class="{ 'font-bold': props.row.is_chosen && col.name === 'move' }"
    :style="col.name === 'wins' ? props.row.colours : ''">{{ col.value }}</q-td>
</q-tr>"""
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


class MovePanel:
    """The moves that a search has looked at; the board shows the one that is pointed at."""

    def __init__(self):
        self._table = ui.table(rows=[], columns=[], row_key="action").classes("w-full")
        self._table.props("dense flat hide-bottom separator=none").mark("moves")
        self._table.add_slot("header-cell", _HEAD_SLOT)
        self._table.add_slot("body", _ROW_SLOT)
        self._table.on("mouseover", js_handler=_POINT).on("mouseleave", js_handler=_POINT)
        self._rest = ui.label().classes("text-sm quiet")
        self.show(None)

    def show(
        self,
        analysis: SearchSummary | None,
        rules: Rules | None = None,
        exact: Mapping[int, int] | None = None,
    ) -> None:
        """Shows a search; without one, nothing. Arguments as for `move_rows`."""
        rows = [] if analysis is None or rules is None else move_rows(analysis, rules, exact or {})
        self._table.columns = [
            {"name": name, "label": name, "field": name, "align": "left", "title": title}
            for name, title in _HEADS.items()
            if exact or name != "exact"
        ]
        self._table.rows = rows
        self._table.set_visibility(bool(rows))
        self._rest.set_text(analysis.found.describe_rest(_MOST_ROWS) if analysis else "")


def move_rows(
    analysis: SearchSummary, rules: Rules, exact: Mapping[int, int]
) -> list[dict[str, Any]]:
    """Returns a row for each move, the best first.

    `exact` has by action its value with best play, for the player to move; none if not shown.
    """
    found, rows = analysis.found, []
    tried: list[dict[str, Any]] = [*found.rows()]
    for action, row in list(zip(found.tried_actions(), tried, strict=True))[:_MOST_ROWS]:
        value, prior = row.get("q_value"), row.get("prior")
        rows.append(
            {
                "action": action,
                "move": row["move"],
                "prior": "" if prior is None else f"{prior:.1%}",
                "visits": row.get("visits"),
                "wins": "" if value is None else describe_chance(value),
                "policy": f"{row['policy']:.1%}",
                "exact": VALUE_WORDS[exact[action]] if action in exact else "",
                "variation": " ".join(rules.names(analysis.lines.get(action, (action,)))),
                "is_chosen": action == found.action,
                "colours": "" if value is None else _colours(value),
            }
        )
    return rows


def _colours(value: float) -> str:
    text = "white" if abs(value) > _DARK else "inherit"
    return f"background:{value_colour(value)};color:{text}"
