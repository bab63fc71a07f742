"""The board of each game, and what the page asks of it."""

import functools
import re
from collections.abc import Sequence

import jax

from azjax.games import Game, State, grid
from azjax.games.coins import Coins
from azjax.games.connect_four import ConnectFour
from azjax.games.go import Go
from azjax.games.hex import Hex
from azjax.games.mnk import Mnk
from azjax.games.othello import Othello
from azjax.games.pgx_adapter import PgxGame, allow_rank_promotion
from azjax.games.quixo import Quixo
from azjax.page.boards import svg
from azjax.page.boards.board import Board, Marks, Scene
from azjax.page.boards.coins import CoinBoard
from azjax.page.boards.grids import (
    ColumnBoard,
    GoBoard,
    OthelloBoard,
    PointBoard,
    RhombusBoard,
    SignBoard,
    SquareBoard,
)
from azjax.page.boards.quixo import CubeBoard
from azjax.page.boards.svg import Box

_MOST_SIGNS = 5  # cells of a side, up to which X and O are shown instead of stones
_LEAST_POINTS = 9  # cells of a side, from which stones are on the points of lines
_MOST_COLUMNS = 26  # that have a letter
_CHARACTER, _LINE = 17, 36  # the size of a character
_NARROWEST = 30  # characters, so that short lines are not large
_SIZE = re.compile(r'<svg\b[^>]* height="(?P<height>[\d.]+)"[^>]* width="(?P<width>[\d.]+)"')


def render_board(game: Game, state: State, legal: Sequence[int], marks: Marks) -> str:
    """Returns one unbatched state as an SVG element, whose styles are `STYLES`."""
    return board_of(game).render(Scene(game, state, legal, marks))


def moves_off_board(game: Game, legal: Sequence[int]) -> list[int]:
    """Returns the legal actions that have no place on the board, such as a pass."""
    board = board_of(game)
    return [action for action in legal if not board.has_place(action)]


def explain_illegal(game: Game, state: State, legal: Sequence[int], cell: str) -> str:
    """Returns in one sentence, as plain text, why a `data-illegal` cannot be played."""
    if not legal:
        return "The game is over."
    reason = board_of(game).explain(Scene(game, state, legal), cell)
    return reason or f"{cell} cannot be played here."


@functools.lru_cache(64)
def board_of(game: Game) -> Board:
    """Returns how a game is rendered."""
    match game:
        case Mnk():
            longest = max(game.rows, game.columns)
            points = PointBoard if longest >= _LEAST_POINTS else SquareBoard
            return (SignBoard if longest <= _MOST_SIGNS else points)(game.rows, game.columns)
        case ConnectFour():
            return ColumnBoard(game.rows, game.columns)
        case Othello():
            return OthelloBoard(game.size, game.size, "flips no disc of the opponent")
        case Go():
            closed = "is suicide, or repeats an earlier board (superko)"
            return GoBoard(game.size, game.size, closed)
        case Hex():
            return RhombusBoard(game.size, game.size)
        case Quixo():
            return CubeBoard(game.size)
        case Coins():
            return CoinBoard(game.coins)
        case PgxGame():
            return PgxPicture()
    rows, columns, _ = game.observation_shape
    return SquareBoard(rows, columns) if _is_grid(game, rows, columns) else TextBoard()


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


class TextBoard(Board):
    """A game whose board is not known, as the text that its `render` returns."""

    def render(self, scene: Scene) -> str:
        lines = scene.game.render(scene.state).expandtabs().splitlines()
        columns = max([_NARROWEST, *map(len, lines)])
        attributes = {"class": "render", "xml:space": "preserve"}
        rows = (svg.text(0, (i + 0.5) * _LINE, line, attributes) for i, line in enumerate(lines))
        return scene.picture(Box(0, 0, columns * _CHARACTER, max(1, len(lines)) * _LINE), rows)


class PgxPicture(Board):
    """A game of Pgx as Pgx renders it."""

    def render(self, scene: Scene) -> str:
        assert isinstance(scene.game, PgxGame)
        with allow_rank_promotion():
            picture = scene.game.restore(scene.state).to_svg()
        size = _SIZE.search(picture)
        assert size
        box = Box(0, 0, float(size["width"]), float(size["height"]))
        return scene.picture(box, [picture[size.start() :]])
