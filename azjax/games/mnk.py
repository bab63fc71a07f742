"""m,n,k-games: a stone goes on any empty cell. Tic-tac-toe is 3,3,3, free gomoku 15,15,5."""

import dataclasses
import functools

import chex
import jax.numpy as jnp

from azjax.games import grid
from azjax.games.line_game import LineGame, LineState
from azjax.games.symmetry import Symmetries, board_symmetries, make_symmetries


@dataclasses.dataclass(frozen=True)
class Mnk(LineGame):
    """The game on `rows` x `columns` cells; an action is the cell `row * columns + column`."""

    rows: int = 3
    columns: int = 3
    length: int = 3
    name: str = "mnk"
    version: int = 1

    @property
    def num_actions(self) -> int:
        return self.rows * self.columns

    def stone_mask(self, state: LineState, action: chex.Numeric) -> chex.Array:
        """Returns bool[rows, columns]: the cell itself."""
        return (jnp.arange(self.num_actions) == action).reshape(self.rows, self.columns)

    def legal_action_mask(self, state: LineState) -> chex.Array:
        """Returns bool[A]: the empty cells; none in a finished state."""
        return (state.board == grid.EMPTY).reshape(-1) & ~state.terminated

    @functools.cached_property
    def symmetries(self) -> Symmetries:
        """The rotations and reflections of the board."""
        cells = board_symmetries(self.rows, self.columns)
        return make_symmetries(cells, cells)

    def format_action(self, action: int) -> str:
        """Returns the cell as in `b3`: its column as a letter, its row counted from the top."""
        return grid.format_cell(action, self.columns)

    def parse_action(self, text: str) -> int:
        """Returns the action of a cell such as `b3`."""
        return grid.parse_cell(text, self.rows, self.columns)

    def parse_moves(self, text: str) -> list[int]:
        """Returns the actions of a record such as `13 15 0`: cell numbers from the empty board."""
        return grid.parse_cell_numbers(text, self.num_actions - 1)
