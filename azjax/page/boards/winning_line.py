"""The line that has won a game of lines."""

from collections.abc import Sequence

from azjax.games import Game
from azjax.games.line_game import LineGame
from azjax.games.quixo import Quixo
from azjax.page.boards.scene import Scene

_STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))  # rows and columns from a cell to the next


def winning_cells(scene: Scene, owners: Sequence[int]) -> list[int]:
    """Returns the cells of the winner's lines; none in an unfinished game, or in another one.

    Args:
      scene: The position.
      owners: The owner of each cell, row by row.
    """
    rows, columns, length = _line_sizes(scene.game)
    winners = [player for player in (0, 1) if scene.state.rewards[player] > 0]
    if not (length and winners):
        return []
    return cells_in_lines(owners, rows, columns, length, winners[0])


def cells_in_lines(
    owners: Sequence[int], rows: int, columns: int, length: int, player: int
) -> list[int]:
    """Returns the cells that are in a line of at least so many stones of a player, in order."""
    found: set[int] = set()
    for first in range(rows * columns):
        row, column = divmod(first, columns)
        for down, right in _STEPS:
            last_row, last_column = row + (length - 1) * down, column + (length - 1) * right
            if last_row < rows and 0 <= last_column < columns:
                line = [first + i * (down * columns + right) for i in range(length)]
                if all(owners[cell] == player for cell in line):
                    found.update(line)
    return sorted(found)


def _line_sizes(game: Game) -> tuple[int, int, int]:
    """Returns the rows, the columns and the length of a line; a length of 0 if none wins."""
    match game:
        case LineGame():
            return game.rows, game.columns, game.length
        case Quixo():
            return game.size, game.size, game.size
    return 0, 0, 0
