"""What games of stones on the cells of a board share: notation, symmetries and owners of cells."""

import abc
import functools
import string
from collections.abc import Sequence

import chex
import jax.numpy as jnp
import numpy as np

from azjax.games import grid
from azjax.games.board_tables import Symmetries, board_symmetries, make_symmetries
from azjax.games.game import Game, StateT


class BoardGame(Game[StateT]):
    """The base of board games: an action is the cell `row * columns + column` by default."""

    rows: int
    columns: int

    @property
    def last_action(self) -> str | None:
        """The name of the action after the cells, such as a pass; None if there is none."""
        return None

    @property
    def num_cells(self) -> int:
        return self.rows * self.columns

    @property
    def num_actions(self) -> int:
        return self.num_cells + (self.last_action is not None)

    @property
    def observation_shape(self) -> tuple[int, int, int]:
        return self.rows, self.columns, 2

    @abc.abstractmethod
    def owners(self, state: StateT) -> chex.Array:
        """Returns int8[rows, columns]: the owner of each cell, 0, 1, or grid.EMPTY."""

    def ownership(self, state: StateT) -> chex.Array:
        """Returns int8[cells]: 1 for a stone of player 0, -1 for one of player 1, else 0."""
        owners = self.owners(state).reshape(-1)
        return (owners == 0).astype(jnp.int8) - (owners == 1).astype(jnp.int8)

    @property
    def cell_symmetries(self) -> np.ndarray:
        """[S, cells] int32, the symmetries of the cells: by default rotations and reflections."""
        return board_symmetries(self.rows, self.columns)

    @functools.cached_property
    def symmetries(self) -> Symmetries:
        """The symmetries of the cells, which keep an action after them."""
        cells = self.cell_symmetries
        last = np.full((len(cells), self.num_actions - self.num_cells), self.num_cells, np.int32)
        return make_symmetries(cells, np.append(cells, last, axis=1))

    def column_names(self) -> list[str]:
        """Returns the names of the columns, from the left."""
        return list(string.ascii_lowercase[: self.columns])

    def format_action(self, action: int) -> str:
        """Returns the cell as in `b3`, its column and its row from the top, or the last action."""
        if action == self.num_cells and self.last_action is not None:
            return self.last_action
        return grid.format_cell(action, self.columns)

    def parse_action(self, text: str) -> int:
        """Returns the action of a cell such as `b3`, or of the last action's name."""
        if text.strip().lower() == self.last_action:
            return self.num_cells
        try:
            return grid.parse_cell(text, self.rows, self.columns)
        except ValueError as error:
            other = "" if self.last_action is None else f", or {self.last_action}"
            raise ValueError(f"{error}{other}") from None

    def parse_moves(self, text: str) -> Sequence[int]:
        """Returns the actions of a record such as `13 15 0`: cell numbers, and -1 for a pass."""
        passes = {"-1": self.num_cells} if self.last_action == "pass" else {}
        last, moves = self.num_actions - 1 - len(passes), []
        for entry in text.split():
            if entry not in passes and not (entry.isdecimal() and int(entry) <= last):
                other = ", or -1, a pass" if passes else ""
                raise ValueError(f"move {entry!r} is not a cell number, 0 to {last}{other}")
            moves.append(passes[entry] if entry in passes else int(entry))
        return moves

    def format_state(self, state: StateT) -> str:
        """Returns the position in one line, such as `.X./.O./... X`."""
        return grid.format_board(np.asarray(self.owners(state)), int(state.current_player))

    def render(self, state: StateT) -> str:
        """Returns the board as lines of text, with coordinates."""
        rows = [str(row + 1) for row in range(self.rows)]
        return grid.render_board(np.asarray(self.owners(state)), self.column_names(), rows)


class SquareGame(BoardGame[StateT]):
    """The base of board games on `size` x `size` cells."""

    size: int

    @property
    def rows(self) -> int:  # type: ignore[override]
        return self.size

    @property
    def columns(self) -> int:  # type: ignore[override]
        return self.size
