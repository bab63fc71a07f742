"""Handicap stones of Go: where GTP fixes them, and the position that begins with them."""

from collections.abc import Callable, Collection

from azjax.engines.gtp_command import GtpError
from azjax.games import State
from azjax.games.go.rules import Go

_NUMBER = "invalid number of stones"
# Rows and columns of the stones but the one in the middle: 0 is the line near the lower left, 1 the
# middle line, 2 the line near the upper right.
_LINES = ((0, 0), (2, 2), (2, 0), (0, 2), (1, 0), (1, 2), (0, 1), (2, 1))


def fixed_handicap(size: int, number: int) -> list[int]:
    """Returns the cells of so many stones, by section 4.1.1 of the specification.

    Raises:
      GtpError: A board of this size has no place for so many.
    """
    most = 0 if size < 7 else 9 if size % 2 and size > 7 else 4
    if not 2 <= number <= most:
        raise GtpError(_NUMBER)
    edge = 3 if size >= 13 else 2
    lines = edge, size // 2, size - 1 - edge
    in_middle = number >= 5 and number % 2
    points = [*_LINES[: number - in_middle], *([(1, 1)] * in_middle)]
    return [(size - 1 - lines[row]) * size + lines[column] for row, column in points]


def check_free_handicap(size: int, number: int) -> None:
    """Raises GtpError unless so many stones, two at least, leave a vertex empty."""
    if not 2 <= number < size**2:
        raise GtpError(_NUMBER)


def handicap_position(game: Go, cells: Collection[int], to_move: str) -> State:
    """Returns the position of black stones alone, with `X`, black, or `O` to move.

    No move or pass leads to it, and no board is before it: nothing can be a repetition.
    """
    size = game.size
    board = "".join("X" if cell in cells else "." for cell in range(size**2))
    rows = "/".join(board[i : i + size] for i in range(0, size**2, size))
    return game.parse_state(f"{rows} {to_move}")


def choose_handicap(game: Go, number: int, choose: Callable[[State], int]) -> list[int]:
    """Returns the cells that a player takes one after another, with white never to move.

    Where it would pass, it takes the first empty cell.
    """
    cells: list[int] = []
    for _ in range(number):
        action = choose(handicap_position(game, cells, "X"))
        is_pass = action == game.size**2
        cells.append(min(set(range(game.size**2)) - set(cells)) if is_pass else action)
    return cells
