"""What each move of a game has lost, and from where to try again."""

from collections.abc import Awaitable, Callable, Collection, Sequence
from html import escape
from typing import NamedTuple

from nicegui import ui

from azjax.page.frame import row_button
from azjax.page.play.game import OpenGame
from azjax.page.values import describe_loss, loss_colour, win_percent

_NUM_WORST, _LEAST = 3, 5.0  # moves, and percent: an inaccuracy
_EMIT_PLY = """(event) => {
  if (event.target.closest("[data-ply]")) emit(event.target.closest("[data-ply]").dataset.ply);
}"""


class JudgedMove(NamedTuple):
    """A move, with the expected result of its player before and after it, in percent."""

    ply: int  # before the move
    name: str  # with its number
    mover: int
    before: float
    after: float

    @property
    def loss(self) -> float:
        """What the move has lost, in percent."""
        return max(0.0, self.before - self.after)

    def __str__(self) -> str:
        return f"{self.name}: {self.before:.0f}% to {self.after:.0f}%"


def judge_moves(opened: OpenGame) -> list[JudgedMove]:
    """Returns the moves of a game that have a value before and after them."""
    values, judged = opened.win_values(), []
    for ply, name in enumerate(opened.line.titles()):
        mover, before, after = opened.line.positions[ply].mover, values[ply], values[ply + 1]
        if before is not None and after is not None:
            sign = 1 - 2 * mover
            percents = win_percent(sign * before), win_percent(sign * after)
            judged.append(JudgedMove(ply, f"{ply + 1}. {name}", mover, *percents))
    return judged


def worst_moves(moves: Sequence[JudgedMove], seats: Collection[int]) -> list[JudgedMove]:
    """Returns the moves of some players that have lost most, the worst first; no good ones."""
    lost = [move for move in moves if move.mover in seats and move.loss >= _LEAST]
    return sorted(lost, key=lambda move: -move.loss)[:_NUM_WORST]


class ReviewPanel:
    """The moves that lost most, to try again from there, and after a game all of them."""

    def __init__(self, on_ply: Callable[[int], Awaitable[None]]):
        """Builds the panel, which calls with the ply of a position to go to."""
        self._on_ply = on_ply
        self._shown: list[JudgedMove] = []
        self._worst = ui.row().classes("items-center gap-x-4 gap-y-1 w-full").mark("worst")
        self._list = ui.html("", sanitize=False).classes("move-list").mark("review")
        self._list.on("click", lambda event: on_ply(int(event.args)), js_handler=_EMIT_PLY)

    def show(self, opened: OpenGame, moves: list[JudgedMove], worst: list[JudgedMove]) -> None:
        """Shows the worst moves, and after the game all of them."""
        if worst != self._shown:
            self._shown = worst
            self._worst.clear()
            for move in worst:
                self._add_worst(move)
        is_over = opened.line.last.result is not None
        self._list.set_content("".join(map(_render_move, moves)) if is_over else "")

    def _add_worst(self, move: JudgedMove) -> None:
        with self._worst, ui.row().classes("items-center gap-2"):
            ui.html(_dot(move), sanitize=False)
            ui.label(str(move))
            row_button("Try again from here", lambda: self._on_ply(move.ply))


def _render_move(move: JudgedMove) -> str:
    """Returns a move with its loss, as a button that leads to the position after it."""
    words = f"{escape(move.name)} <small>{describe_loss(move.loss)}</small>"
    return f'<button data-ply="{move.ply + 1}">{_dot(move)}{words}</button>'


def _dot(move: JudgedMove) -> str:
    return f'<span class="loss-dot" style="background:{loss_colour(move.loss)}"></span>'
