"""How the Go Text Protocol (GTP), version 2, is written: commands, responses, arguments, vertices.

The specification is Gunnar Farnebäck's, draft 2 of 2002.
"""

import functools
import math
import string
from typing import NamedTuple

from azjax.games import Game
from azjax.games.connect_four import ConnectFour
from azjax.games.go.rules import Go
from azjax.games.hex import Hex
from azjax.games.mnk import Mnk
from azjax.games.othello import Othello

BLACK, WHITE = 0, 1  # black moves first
COLOURS = {"b": BLACK, "black": BLACK, "w": WHITE, "white": WHITE}
SYNTAX_ERROR = "syntax error"
_MOST_DIGITS = 10  # of an integer, which has 31 bits
_LETTERS = string.ascii_uppercase.replace("I", "")  # GTP has no column I
_LARGEST = len(_LETTERS)  # board with a letter for each column


class GtpError(Exception):
    """A command fails; the text is the message of the response."""


class Command(NamedTuple):
    """A command."""

    id: str  # digits, or empty
    name: str  # may be empty
    arguments: list[str]


def parse_line(line: str) -> Command | None:
    """Returns the command of a line; None for an empty line or a comment.

    Control characters are removed, tabs are spaces, and a `#` begins a comment.
    """
    visible = "".join(x for x in line.replace("\t", " ") if x >= " " and x != "\x7f")
    words = visible.partition("#")[0].split()
    if not words:
        return None
    has_id = words[0].isascii() and words[0].isdigit() and len(words[0]) <= _MOST_DIGITS
    number = words.pop(0) if has_id else ""
    name, *arguments = words or [""]
    return Command(number, name, arguments)


def parse_colour(text: str) -> int:
    """Returns BLACK or WHITE; raises GtpError if the text is neither."""
    if text.lower() not in COLOURS:
        raise GtpError(SYNTAX_ERROR)
    return COLOURS[text.lower()]


def parse_int(text: str) -> int:
    """Returns an integer from 0 to 2**31 - 1; raises GtpError if the text is none."""
    is_number = text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
    if not is_number or int(text) >= 2**31:
        raise GtpError(SYNTAX_ERROR)
    return int(text)


def parse_float(text: str) -> float:
    """Returns a finite number; raises GtpError if the text is none."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise GtpError(SYNTAX_ERROR)
    return number


class GtpBoard(NamedTuple):
    """The board of a game as GTP sees it."""

    size: int  # the argument of `boardsize`
    vertices: tuple[str, ...]  # [A], of the actions

    def format(self, action: int) -> str:
        """Returns the vertex of an action."""
        return self.vertices[action]

    def parse(self, text: str) -> int:
        """Returns the action of a vertex, in capitals or not; raises ValueError if it has none."""
        actions = {vertex.lower(): action for action, vertex in enumerate(self.vertices)}
        try:
            return actions[text.strip().lower()]
        except KeyError:
            raise ValueError(
                f"{text.strip()!r} is not a vertex: "
                f"write one such as {self.vertices[0]} or {self.vertices[-1]}"
            ) from None


@functools.cache
def gtp_board(game: Game) -> GtpBoard:
    """Returns the board of a game as GTP sees it: with vertices such as `D4`, `pass`.

    Go and Gomoku count rows from the bottom and have no column I, as GTP has it. Othello counts
    rows from the top, and Hex does too and has a column I, as the engines of these games have it.
    An action of Connect Four is the number of its column, from 1.

    Raises:
      ValueError: The game is none of these, or its board is not square, or too large.
    """
    match game:
        case Go(size=size) if size <= _LARGEST:
            return GtpBoard(size, (*_cells_from_bottom(size), "pass"))
        case Mnk(rows=size, columns=columns) if size == columns <= _LARGEST:
            return GtpBoard(size, _cells_from_bottom(size))
        case Othello(size=size):
            return GtpBoard(size, (*_cells_from_top(size, _LETTERS), "pass"))
        case Hex(size=size, swap=swap):
            cells = _cells_from_top(size, string.ascii_lowercase)
            return GtpBoard(size, (*cells, "swap-pieces") if swap else cells)
        case ConnectFour(columns=columns):
            return GtpBoard(columns, tuple(str(column + 1) for column in range(columns)))
    raise ValueError(
        f"{game.name} is not played by GTP: Go, Othello, Hex, Connect Four, and lines on a square "
        f"board are, up to {_LARGEST} columns"
    )


def _cells_from_bottom(size: int) -> tuple[str, ...]:
    return tuple(f"{letter}{size - row}" for row in range(size) for letter in _LETTERS[:size])


def _cells_from_top(size: int, letters: str) -> tuple[str, ...]:
    return tuple(f"{letter}{row + 1}" for row in range(size) for letter in letters[:size])
