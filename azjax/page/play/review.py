"""What each move of a game has lost, and from where to try again."""

from collections.abc import Awaitable, Callable, Collection, Sequence
from html import escape
from typing import NamedTuple

from nicegui import ui
from nicegui.events import GenericEventArguments

from azjax.page.frame import row_button
from azjax.page.play.game import OpenGame
from azjax.page.values import describe_loss, loss_colour, win_percent

_NUM_WORST = 3
_LEAST = 5.0  # percent: an inaccuracy
_EMIT_PLY = """(event) => {
  const move = event.target.closest("[data-ply]");
  if (move) emit(Number(move.dataset.ply));
}"""


class JudgedMove(NamedTuple):
    """A move, with the expected result of its player before and after it, in percent."""

    ply: int  # before the move
    name: str
    mover: int
    before: float
    after: float

    @property
    def loss(self) -> float:
        """What the move has lost, in percent."""
        return max(0.0, self.before - self.after)

    @property
    def title(self) -> str:
        """The number and the name of the move."""
        return f"{self.ply + 1}. {self.name}"

    def __str__(self) -> str:
        return f"{self.title}: {self.before:.0f}% to {self.after:.0f}%"


def judge_moves(opened: OpenGame) -> list[JudgedMove]:
    """Returns the moves of a game that have a value before and after them."""
    values, judged = opened.win_values(), []
    for ply, name in enumerate(opened.line.titles()):
        mover, before, after = opened.line.positions[ply].mover, values[ply], values[ply + 1]
        if before is not None and after is not None:
            sign = 1 - 2 * mover
            percents = win_percent(sign * before), win_percent(sign * after)
            judged.append(JudgedMove(ply, name, mover, *percents))
    return judged


def worst_moves(moves: Sequence[JudgedMove], seats: Collection[int] = (0, 1)) -> list[JudgedMove]:
    """Returns the moves of some players that have lost most, the worst first; none are good."""
    lost = [move for move in moves if move.mover in seats and move.loss >= _LEAST]
    return sorted(lost, key=lambda move: -move.loss)[:_NUM_WORST]


class ReviewPanel:
    """After a game: what each move has lost, and the worst ones, to try again from there."""

    def __init__(self, on_ply: Callable[[int], Awaitable[None]]):
        """Builds the panel, which calls with the ply of a position to go to."""
        self._on_ply = on_ply
        self._shown: list[JudgedMove] = []
        with ui.column().classes("w-full gap-1").mark("review") as self._panel:
            self._worst = ui.column().classes("w-full gap-1")
            self._list = ui.html("", sanitize=False).classes("move-list")
            self._list.on("click", self._click, js_handler=_EMIT_PLY)

    def show(self, opened: OpenGame, moves: list[JudgedMove]) -> None:
        """Shows a game that is over; nothing while it lasts."""
        is_over = opened.line.last.result is not None
        self._panel.set_visibility(is_over and bool(moves))
        if moves == self._shown or not is_over:
            return
        self._shown = moves
        worst = worst_moves(moves, opened.link.own_seats or {0, 1})
        self._worst.clear()
        with self._worst:
            ui.label("The moves that lost most" if worst else "No move lost much").classes("quiet")
            for move in worst:
                self._add_worst(move)
        self._list.set_content("".join(map(_render_move, moves)))

    def _add_worst(self, move: JudgedMove) -> None:
        with ui.row().classes("items-center gap-3"):
            ui.element("span").classes("loss-dot").style(f"background:{loss_colour(move.loss)}")
            ui.label(str(move))
            row_button("Try again from here", lambda: self._on_ply(move.ply))

    async def _click(self, event: GenericEventArguments) -> None:
        await self._on_ply(int(event.args))


def _render_move(move: JudgedMove) -> str:
    """Returns a move with its loss, as a button that leads to the position after it."""
    dot = f'<span class="loss-dot" style="background:{loss_colour(move.loss)}"></span>'
    words = f"{escape(move.title)} <small>{describe_loss(move.loss)}</small>"
    return f'<button data-ply="{move.ply + 1}">{dot}{words}</button>'
