"""Connect Four: a stone falls to the lowest empty cell of a column; four in a row win."""

import dataclasses
import functools

import chex
import jax.numpy as jnp
import numpy as np

from azjax.games import grid
from azjax.games.board_tables import Symmetries, board_symmetries, column_planes, make_symmetries
from azjax.games.line_game import LineGame, LineState, has_line


@dataclasses.dataclass(frozen=True)
class ConnectFour(LineGame):
    """The game on `rows` x `columns` cells; action c drops a stone into column c."""

    rows: int = 6
    columns: int = 7
    length: int = 4
    name: str = "connect_four"
    version: int = 1

    @property
    def num_actions(self) -> int:
        return self.columns

    def stone_mask(self, state: LineState, action: chex.Numeric) -> chex.Array:
        """Returns bool[rows, columns]: the lowest empty cell of the column."""
        lowest_empty = (state.board == grid.EMPTY).sum(axis=0) - 1  # -1 in a full column
        is_row = jnp.arange(self.rows)[:, None] == lowest_empty[None, :]
        return is_row & (jnp.arange(self.columns) == action)[None, :]

    def legal_action_mask(self, state: LineState) -> chex.Array:
        """Returns bool[A]: the columns that are not full; none in a finished state."""
        return (state.board[0] == grid.EMPTY) & ~state.terminated

    @functools.cached_property
    def symmetries(self) -> Symmetries:
        """The identity and the mirror image."""
        actions = np.arange(self.columns, dtype=np.int32)
        cells = board_symmetries(self.rows, self.columns)[[0, 2]]
        return make_symmetries(cells, np.stack([actions, actions[::-1]]))

    @property
    def action_planes(self) -> np.ndarray:
        """[A, rows, columns, 1] float32: the action's column."""
        return column_planes(self.rows, self.columns)

    def parse_state(self, text: str) -> LineState:
        """Returns the state of a position in one line, where no stone is above an empty cell.

        A position may also be the columns that were played, such as `44455`; see `parse_moves`.
        """
        if text.strip() and not set(text) - set("0123456789 "):
            return super().parse_state(self._replay(text))
        state = super().parse_state(text)
        occupied = np.asarray(state.board) != grid.EMPTY
        if (occupied[:-1] & ~occupied[1:]).any():
            raise ValueError(f"position {text!r} has a stone above an empty cell")
        return state

    def _replay(self, text: str) -> str:
        """Returns the rows and the side to move of a position that is written as its columns."""
        board = np.full((self.rows, self.columns), grid.EMPTY, np.int8)
        for move, column in enumerate(self.parse_moves(text)):
            empty = np.flatnonzero(board[:, column] == grid.EMPTY)
            if not empty.size:
                raise ValueError(f"position {text!r} goes on in column {column + 1}, which is full")
            if has_line(board == 1 - move % 2, self.length):
                raise ValueError(f"position {text!r} goes on after a line, so the game was over")
            board[empty[-1], column] = move % 2
        return grid.format_board(board, (board != grid.EMPTY).sum() % 2)

    def column_names(self) -> list[str]:
        """Returns the columns' numbers, from 1 at the left."""
        return [str(column + 1) for column in range(self.columns)]

    def format_action(self, action: int) -> str:
        """Returns the column's number, from 1 at the left."""
        return str(int(action) + 1)

    def parse_action(self, text: str) -> int:
        """Returns the action of a column's number."""
        if text.strip() not in self.column_names():
            raise ValueError(
                f"{text.strip()!r} is not a column: write a number, 1 to {self.columns}"
            )
        return int(text) - 1

    def parse_moves(self, text: str) -> list[int]:
        """Returns the actions of a record such as `34527521`: column numbers without separators.

        With more than 9 columns they are separated by blanks.
        """
        columns = text.split()
        return [self.parse_action(c) for c in (columns if self.columns > 9 else "".join(columns))]
