"""m,n,k-games: a stone goes on any empty cell. Tic-tac-toe is 3,3,3, free gomoku 15,15,5."""

import dataclasses

import chex
import jax.numpy as jnp

from azjax.games import grid
from azjax.games.line_game import LineGame, LineState


@dataclasses.dataclass(frozen=True)
class Mnk(LineGame):
    """The game on `rows` x `columns` cells; an action is the cell `row * columns + column`."""

    rows: int = 3
    columns: int = 3
    length: int = 3
    name: str = "mnk"
    version: int = 1

    def stone_mask(self, state: LineState, action: chex.Numeric) -> chex.Array:
        """Returns bool[rows, columns]: the cell itself."""
        return (jnp.arange(self.num_actions) == action).reshape(self.rows, self.columns)

    def legal_action_mask(self, state: LineState) -> chex.Array:
        """Returns bool[A]: the empty cells; none in a finished state."""
        return (state.board == grid.EMPTY).reshape(-1) & ~state.terminated
