"""The board of each game, and what the page asks of it."""

import functools
from collections.abc import Sequence

import jax

from azjax.games import Game, State, grid
from azjax.games.coins import Coins
from azjax.games.connect_four import ConnectFour
from azjax.games.go import Go
from azjax.games.hex import Hex
from azjax.games.mnk import Mnk
from azjax.games.othello import Othello
from azjax.games.pgx_adapter import PgxGame
from azjax.games.quixo import Quixo
from azjax.page.boards.kinds.board import Board
from azjax.page.boards.kinds.coins import CoinBoard
from azjax.page.boards.kinds.columns import ColumnBoard
from azjax.page.boards.kinds.cubes import CubeBoard
from azjax.page.boards.kinds.pgx_picture import PgxPicture
from azjax.page.boards.kinds.points import PointBoard
from azjax.page.boards.kinds.rhombus import RhombusBoard
from azjax.page.boards.kinds.squares import SignBoard, SquareBoard
from azjax.page.boards.kinds.text import TextBoard
from azjax.page.boards.scene import Marks, Scene

_MOST_SIGNS = 5  # cells of a side, up to which X and O are shown instead of stones
_LEAST_POINTS = 9  # cells of a side, from which stones are on the points of lines
_MOST_COLUMNS = 26  # that have a letter


def render_board(game: Game, state: State, legal: Sequence[int], marks: Marks) -> str:
    """Returns a position as an SVG element, whose styles are `STYLES`.

    Args:
      game: The rules.
      state: One unbatched state.
      legal: Its legal actions.
      marks: What else is shown.
    """
    return _board_of(game).render(Scene(game, state, legal, marks))


def moves_off_board(game: Game, legal: Sequence[int]) -> list[int]:
    """Returns the legal actions that have no place on the board, such as a pass."""
    board = _board_of(game)
    return [action for action in legal if not board.has_place(action)]


def explain_illegal(game: Game, state: State, legal: Sequence[int], cell: str) -> str:
    """Returns in one sentence, as plain text, why something cannot be played.

    Args:
      game: The rules.
      state: One unbatched state.
      legal: Its legal actions.
      cell: What was clicked, as in `data-illegal`.
    """
    if not legal:
        return "The game is over."
    reason = _board_of(game).explain(Scene(game, state, legal), cell)
    return reason or f"{cell} cannot be played here."


@functools.lru_cache(64)
def _board_of(game: Game) -> Board:
    """Returns how a game is rendered."""
    match game:
        case Mnk():
            return _board_of_lines(game)
        case ConnectFour():
            return ColumnBoard(game.rows, game.columns)
        case Othello():
            return SquareBoard(game.size, game.size, "flips no disc of the opponent")
        case Go():
            closed = "is suicide, or repeats an earlier board (superko)"
            return PointBoard(game.size, game.size, closed)
        case Hex():
            return RhombusBoard(game.size)
        case Quixo():
            return CubeBoard(game.size)
        case Coins():
            return CoinBoard(game.coins)
        case PgxGame():
            return PgxPicture(game)
    rows, columns, _ = game.observation_shape
    return SquareBoard(rows, columns) if _is_grid(game, rows, columns) else TextBoard()


def _board_of_lines(game: Mnk) -> Board:
    longest = max(game.rows, game.columns)
    if longest <= _MOST_SIGNS:
        return SignBoard(game.rows, game.columns)
    kind = PointBoard if longest >= _LEAST_POINTS else SquareBoard
    return kind(game.rows, game.columns)


def _is_grid(game: Game, rows: int, columns: int) -> bool:
    """Tells whether an unknown game has cells as moves, and writes its positions as rows."""
    cells = range(min(rows * columns, game.num_actions))
    if columns > _MOST_COLUMNS or len(cells) < rows * columns:
        return False
    if any(game.format_action(cell) != grid.format_cell(cell, columns) for cell in cells):
        return False
    try:
        Scene(game, game.init(jax.random.key(0)), ()).owners(rows, columns)
    except ValueError:
        return False
    return True
