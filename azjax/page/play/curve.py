"""The values of a game: a bar beside the board, and a curve over the moves below it."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from nicegui import ui

from azjax.page.boards import board_of
from azjax.page.charts import PERCENT_AXIS
from azjax.page.play.game import OpenGame
from azjax.page.play.review import JudgedMove
from azjax.page.play.words import has_draws, value_word
from azjax.page.values import loss_colour, win_percent

_COLOUR = "#3f83c3"  # readable on light and on dark
STYLES = """
.eval-bar{position:relative;border-radius:4px;overflow:hidden;background:var(--other)}
.eval-bar>.fill{position:absolute;bottom:0;width:100%;background:var(--own);transition:height .3s}
.eval-bar>.text{position:absolute;bottom:2px;width:100%;text-align:center;font-size:.7rem;
  line-height:1.2;background:var(--paper);color:var(--ink)}
.own-0{--own:var(--first);--other:var(--second)} .own-1{--own:var(--second);--other:var(--first)}
@media (prefers-reduced-motion:reduce){.eval-bar>.fill{transition:none}}
"""


class EvaluationBar:
    """The value of the position that is shown; the visitor's side is at the bottom."""

    def __init__(self):
        with ui.element("div").props("role=img").mark("evaluation") as self._bar:
            self._fill = ui.element("div").classes("fill")
            self._text = ui.label().classes("text")

    def show(self, opened: OpenGame) -> None:
        value, seat = opened.win_values()[opened.ply], 1 if opened.link.own_seats == {1} else 0
        percent = 50.0 if value is None else win_percent(value if seat == 0 else -value)
        words = "unknown" if value is None else f"{percent:.0f}%"
        self._bar.classes(replace=f"eval-bar own-{seat} {board_of(opened.line.rules.game).theme}")
        self._bar.props["aria-label"] = f"{_title(opened, seat)}: {words}"
        self._fill.style(f"height:{percent}%")
        self._text.set_text("" if value is None else f"{percent:.0f}")


class WinPanel:
    """The value of the first player over the moves of a game, with marks."""

    def __init__(self, on_ply: Callable[[int], Awaitable[None]]):
        """Builds the panel; a click on a position of the game calls with its ply."""
        self._title = ui.label().classes("text-sm quiet")
        empty = win_chart([None], [], 0, [])
        self._chart = ui.echart(empty, lambda event: on_ply(int(event.data_index)), renderer="svg")
        self._chart.classes("w-full h-32").mark("wins")

    def show(self, opened: OpenGame, worst: Sequence[JudgedMove]) -> None:
        """Shows a game, with marks at its worst moves."""
        half = "; a draw counts half" if has_draws(opened.line.rules.game) else ""
        self._title.set_text(f"{_title(opened, 0)}{half}")
        options = win_chart(opened.win_values(), opened.line.titles(), opened.ply, worst)
        self._chart.options.update(options)
        self._chart.update()


def _title(opened: OpenGame, seat: int) -> str:
    """Returns what the values of a side are."""
    return f"{value_word(opened.line.rules.game).capitalize()} of {opened.sides[seat]}"


def win_chart(
    values: Sequence[float | None], moves: Sequence[str], ply: int, worst: Sequence[JudgedMove]
) -> dict[str, Any]:
    """Returns the ECharts options of the value of the first player over the moves of a game.

    A value is known or None, and is 1 for a win of the first player; `moves[i]` leads to ply i + 1.
    Marked are the ply that is shown, and the worst moves.
    """
    points = [None if value is None else win_percent(value) for value in values]
    names = ["start", *(f"{i}. {move}" for i, move in enumerate(moves, 1))]
    here = {"silent": True, "symbol": "none", "label": {"show": False}, "data": [{"xAxis": ply}]}
    marks = [
        {"coord": [x.ply + 1, points[x.ply + 1]], "itemStyle": {"color": loss_colour(x.loss)}}
        for x in worst
    ]
    curve = {"name": "%", "type": "line", "data": points, "connectNulls": True, "symbolSize": 6}
    curve |= {"itemStyle": {"color": _COLOUR}, "areaStyle": {"opacity": 0.15, "origin": "start"}}
    curve["markLine"] = here | {"lineStyle": {"color": _COLOUR}}
    curve["markPoint"] = {"silent": True, "symbol": "circle", "symbolSize": 12, "data": marks}
    # Invisible, in front of the curve, whose z is 3: a click anywhere above a move counts.
    touch = {"type": "bar", "z": 4, "data": [100] * len(points), "barWidth": "100%"}
    touch |= {"itemStyle": {"opacity": 0}, "tooltip": {"show": False}}
    return {
        "animation": False,
        "grid": {"left": 40, "right": 12, "top": 8, "bottom": 24},
        "tooltip": {"trigger": "axis"},
        "xAxis": {"type": "category", "data": names, "boundaryGap": False},
        "yAxis": PERCENT_AXIS,
        "series": [curve, touch],
    }
