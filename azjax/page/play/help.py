"""How a game is played, its rules, and the keys of the page."""

import inspect
import itertools

from nicegui import ui

from azjax.games import Game
from azjax.games.coins import Coins
from azjax.games.connect_four import ConnectFour
from azjax.games.go import Go
from azjax.games.hex import Hex
from azjax.games.mnk import Mnk
from azjax.games.othello import Othello
from azjax.games.quixo import Quixo
from azjax.page.play.game import OpenGame
from azjax.page.play.words import game_title

_IN_A_ROW = "across, down or diagonally, win; a full board is a draw."
_KEYS = (
    "Keys: the arrows step through the game; u takes back, h is a hint, n a new game; Esc leads "
    "out of the search tree; Tab and Enter play."
)


def describe_moves(game: Game) -> str:
    """Returns in one line how to move, where a look at the board does not tell."""
    match game:
        case Hex():
            return "Place a stone: Blue joins top and bottom, Orange joins left and right."
        case Quixo():
            return "Click a cube of the border, blank or yours, then the arrow where it goes in."
        case Mnk():
            return f"Place a stone anywhere: {game.length} in a row win."
        case Coins():
            return f"Take up to {game.take} coins: click the first of those that you take."
    return ""


def describe_rules(game: Game) -> str:
    """Returns the rules of a game."""
    match game:
        case Mnk():
            return (
                f"Players place stones in turn on empty cells. {game.length} in a row, {_IN_A_ROW}"
            )
        case ConnectFour():
            return f"A disc falls to the lowest free cell of a column. Four in a row, {_IN_A_ROW}"
        case Go():
            return (
                "Players place stones on points in turn, or pass. Stones without a free point "
                "beside them are captured. A move may be no suicide and repeat no earlier board. "
                "Two passes end the game. Each side counts its stones and the points that it "
                f"alone surrounds, White {game.komi:g} more; all stones on the board count as "
                "alive, so capture dead ones first."
            )
        case Othello():
            return (
                "A disc must enclose discs of the other side in a line between itself and one of "
                "its own; these are flipped. Who cannot do so passes. At the end, the side with "
                "more discs wins."
            )
        case Hex():
            return "A chain of stones between the two edges of its colour wins. There is no draw."
        case Quixo():
            return (
                "Take a cube of the border that is blank or yours, and push it in at another end "
                f"of its row or column, with your sign up. {game.size} of your signs in a line "
                "win; who completes a line of the other side loses."
            )
        case Coins():
            return f"Players take 1 to {game.take} coins in turn. Who takes the last one wins."
    return inspect.getdoc(game) or ""


def describe_counts(opened: OpenGame) -> str:
    """Returns the prisoners of Go, or the discs of Othello."""
    line, (first, second) = opened.line, opened.sides
    match line.rules.game:
        case Othello():
            discs = _count_stones(opened.shown.text)
            return f"Discs: {first} {discs[0]}, {second} {discs[1]}"
        case Go():
            prisoners = [0, 0]
            positions = line.positions[: opened.ply + 1]
            for before, after in itertools.pairwise(positions):
                other = 1 - before.mover
                lost = _count_stones(before.text)[other] - _count_stones(after.text)[other]
                prisoners[before.mover] += lost
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
        with button.props('aria-label="Rules and keys"'):
            ui.tooltip("rules and keys")

    def show(self, game: Game) -> None:
        """Shows the rules of a game."""
        self._title.set_text(game_title(game.name))
        self._rules.set_text(describe_rules(game))
