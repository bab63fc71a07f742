"""The values of a game: a bar beside the board, and a curve over the moves below it."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from nicegui import ui
from nicegui.events import EChartPointClickEventArguments

from azjax.page.charts import PERCENT_AXIS
from azjax.page.play.game import OpenGame
from azjax.page.play.review import JudgedMove, worst_moves
from azjax.page.play.words import capitalize, has_draws, value_word
from azjax.page.values import loss_colour, win_percent

_COLOUR = "#3f83c3"  # readable on light and on dark
STYLES = """
.eval-bar{position:relative;border-radius:4px;overflow:hidden;border:1px solid var(--axis);
  background:var(--other)}
.eval-bar>.fill{position:absolute;bottom:0;width:100%;background:var(--own);transition:height .3s}
.eval-bar>.text{position:absolute;bottom:2px;width:100%;text-align:center;font-size:.7rem;
  line-height:1.2;background:var(--paper);color:var(--ink)}
.eval-bar.own-0{--own:var(--first);--other:var(--second)}
.eval-bar.own-1{--own:var(--second);--other:var(--first)}
@media (prefers-reduced-motion:reduce){.eval-bar>.fill{transition:none}}
"""


class EvaluationBar:
    """The value of the position that is shown; the visitor's side is at the bottom."""

    def __init__(self):
        with ui.element("div").props("role=img").mark("evaluation") as self._bar:
            self._fill = ui.element("div").classes("fill")
            self._text = ui.label().classes("text")

    def show(self, opened: OpenGame) -> None:
        value, seat = opened.shown_value(), 1 if opened.link.own_seats == {1} else 0
        percent = 50.0 if value is None else win_percent(value if seat == 0 else -value)
        words = "unknown" if value is None else f"{percent:.0f}%"
        self._bar.classes(replace=f"eval-bar own-{seat} {opened.theme}")
        self._bar.props["aria-label"] = f"{_title(opened, seat)}: {words}"
        self._fill.style(f"height:{percent}%")
        self._text.set_text("" if value is None else f"{percent:.0f}")


class WinPanel:
    """The value of the first player over the moves of a game, and those that lost most."""

    def __init__(self, on_ply: Callable[[int], Awaitable[None]]):
        """Builds the panel; a click on a position of the game calls with its ply."""
        self._on_ply = on_ply
        self._title = ui.label().classes("text-sm quiet")
        options = win_chart([None], [], 0, [])
        self._chart = ui.echart(options, on_point_click=self._click, renderer="svg")
        self._chart.classes("w-full h-32").mark("wins")
        self._worst = ui.row().classes("items-center gap-2 w-full")
        self._shown: list[JudgedMove] = []

    def show(self, opened: OpenGame, moves: list[JudgedMove]) -> None:
        """Shows a game, and what of it is judged."""
        worst, half = worst_moves(moves), "; a draw counts half"
        has_half = has_draws(opened.line.rules.game)
        self._title.set_text(f"{_title(opened, 0)}{half if has_half else ''}")
        options = win_chart(opened.win_values(), opened.line.titles(), opened.ply, worst)
        self._chart.options.update(options)
        self._chart.update()
        if worst != self._shown:
            self._shown = worst
            self._worst.clear()
            with self._worst:
                for move in worst:
                    self._add_worst(move)

    def _add_worst(self, move: JudgedMove) -> None:
        button = ui.button(on_click=lambda: self._on_ply(move.ply)).props("dense flat no-caps")
        with button:
            ui.element("span").classes("loss-dot").style(f"background:{loss_colour(move.loss)}")
            ui.label(str(move))
            ui.tooltip("shows the position before this move")

    async def _click(self, event: EChartPointClickEventArguments) -> None:
        await self._on_ply(int(event.data_index))


def _title(opened: OpenGame, seat: int) -> str:
    """Returns what the values of a side are."""
    return f"{capitalize(value_word(opened.line.rules.game))} of {opened.sides[seat]}"


def win_chart(
    values: Sequence[float | None], moves: Sequence[str], ply: int, worst: Sequence[JudgedMove]
) -> dict[str, Any]:
    """Returns the ECharts options of the value of the first player over the moves of a game.

    Args:
      values: By ply, 1 for a win of the first player to -1, or None where it is not known.
      moves: As people write them; `moves[i]` leads to ply i + 1.
      ply: The one that is shown, which is marked.
      worst: The moves that lost most, which are marked too.
    """
    points = [None if value is None else win_percent(value) for value in values]
    names = ["start", *(f"{i}. {move}" for i, move in enumerate(moves, 1))]
    mark = {"silent": True, "symbol": "none", "label": {"show": False}, "data": [{"xAxis": ply}]}
    marks = [
        {
            "coord": [move.ply + 1, points[move.ply + 1]],
            "itemStyle": {"color": loss_colour(move.loss)},
        }
        for move in worst
    ]
    return {
        "animation": False,
        "grid": {"left": 40, "right": 12, "top": 8, "bottom": 24},
        "tooltip": {"trigger": "axis"},
        "xAxis": {"type": "category", "data": names, "boundaryGap": False},
        "yAxis": PERCENT_AXIS,
        "series": [
            {
                "name": "%",
                "type": "line",
                "data": points,
                "connectNulls": True,
                "symbolSize": 6,
                "itemStyle": {"color": _COLOUR},
                "areaStyle": {"opacity": 0.15, "origin": "start"},
                "markLine": mark | {"lineStyle": {"color": _COLOUR}},
                "markPoint": {"silent": True, "symbol": "circle", "symbolSize": 12, "data": marks},
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
