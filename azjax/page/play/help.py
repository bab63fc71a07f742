"""How a game is played, its rules, and the keys of the page."""

import inspect
import itertools
import sys

from nicegui import ui

from azjax.games import Game
from azjax.games.coins import Coins
from azjax.games.go import Go
from azjax.games.hex import Hex
from azjax.games.mnk import Mnk
from azjax.games.othello import Othello
from azjax.games.quixo import Quixo
from azjax.page.play.game import OpenGame
from azjax.page.play.words import game_title

_KEYS = (
    "Keys: the arrows step through the game; u takes back, h is a hint, n a new game; Esc leads "
    "out of the search tree; Tab and Enter play."
)
_MOVES: dict[type[Game], str] = {  # how to move, where a look at the board does not tell
    Mnk: "Place a stone anywhere: {0.length} in a row win.",
    Hex: "Place a stone: Blue joins top and bottom, Orange joins left and right.",
    Quixo: "Click a cube of the border, blank or yours, then the arrow where it goes in. Who "
    "completes a line of the other side loses.",
    Coins: "Take up to {0.take} coins: click the first of those that you take.",
}


def describe_moves(game: Game) -> str:
    """Returns how to move, where a look at the board does not tell."""
    return _MOVES.get(type(game), "").format(game)


def describe_counts(opened: OpenGame) -> str:
    """Returns the prisoners of Go, or the discs of Othello."""
    line, (first, second) = opened.line, opened.sides
    match line.rules.game:
        case Othello():
            discs = _count_stones(opened.shown.text)
            return f"Discs: {first} {discs[0]}, {second} {discs[1]}"
        case Go():
            prisoners = [0, 0]
            for before, after in itertools.pairwise(line.positions[: opened.ply + 1]):
                stones = [_count_stones(one.text)[1 - before.mover] for one in (before, after)]
                prisoners[before.mover] += stones[0] - stones[1]
            return f"Captured: {first} {prisoners[0]}, {second} {prisoners[1]}"
    return ""


def _count_stones(position: str) -> tuple[int, int]:
    """Returns the stones of both sides in a position in one line."""
    board = position.partition(" ")[0]
    return board.count("X"), board.count("O")


class HelpButton:
    """A question mark that opens the rules, and the keys."""

    def __init__(self):
        with ui.dialog() as dialog, ui.card().classes("max-w-md"):
            self._title = ui.label().classes("text-lg font-semibold")
            self._rules = ui.label()
            ui.label(_KEYS).classes("quiet")
        button = ui.button(icon="help_outline", on_click=dialog.open).props("dense flat round")
        button.props('aria-label="Rules and keys"').tooltip("rules and keys")

    def show(self, game: Game) -> None:
        """Shows the rules of a game, as its module states them."""
        self._title.set_text(game_title(game.name))
        module = inspect.getdoc(sys.modules[type(game).__module__])
        points = f"White has {game.komi:g} points more." if isinstance(game, Go) else ""
        self._rules.set_text(" ".join([module or "", describe_moves(game), points]))
