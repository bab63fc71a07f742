"""Line games: players place stones in turns, and a line of own stones wins."""

import abc
import dataclasses
import functools
from typing import NamedTuple

import chex
import jax
import jax.numpy as jnp

from azjax.games import grid
from azjax.games.board_game import BoardGame
from azjax.games.game import common_fields, rewards_of, select_state


class LineState(NamedTuple):
    """A position of a line game."""

    board: chex.Array  # [rows, columns] int8, the owner of each cell or EMPTY
    current_player: chex.Array  # [] int8
    terminated: chex.Array  # [] bool
    rewards: chex.Array  # [2] int8


@dataclasses.dataclass(frozen=True)
class LineGame(BoardGame[LineState]):
    """The base of line games: `length` or more stones in a row, column or diagonal win.

    A full board without a line is a draw. A subclass defines the actions, and the cell on which
    each puts the stone.
    """

    rows: int
    columns: int
    length: int

    def __post_init__(self):
        longest = max(self.rows, self.columns)
        if not (1 <= self.rows <= 26 and 1 <= self.columns <= 26):
            raise ValueError(f"rows={self.rows}, columns={self.columns}: each must be 1 to 26")
        if not 1 <= self.length <= longest:
            raise ValueError(
                f"length={self.length}: a line must fit on the board, so 1 to {longest}"
            )

    @abc.abstractmethod
    def stone_mask(self, state: LineState, action: chex.Numeric) -> chex.Array:
        """Returns bool[rows, columns]: the cell on which a legal action puts the stone."""

    @property
    def max_moves(self) -> int:
        return self.rows * self.columns

    def init(self, key: chex.PRNGKey) -> LineState:
        """Returns the empty board; the key is not used."""
        board = jnp.full((self.rows, self.columns), grid.EMPTY, jnp.int8)
        return LineState(board=board, **common_fields())

    def step(self, state: LineState, action: chex.Numeric) -> LineState:
        """Returns the state after the player to move has placed a stone."""
        mover = state.current_player
        legal = self.is_legal(state, action)
        board = jnp.where(self.stone_mask(state, action) & legal, mover, state.board)
        won = has_line(board == mover, self.length)
        mover_reward = jnp.where(legal, won.astype(jnp.int8), jnp.int8(-1))
        after = LineState(
            board=board,
            current_player=1 - mover,
            terminated=~legal | won | (board != grid.EMPTY).all(),
            rewards=rewards_of(mover, mover_reward),
        )
        return select_state(state.terminated, state, after)

    def owners(self, state: LineState) -> chex.Array:
        return state.board

    def observe(self, state: LineState) -> chex.Array:
        """Returns float32[rows, columns, 2]: the mover's stones, then the opponent's."""
        mine, theirs = state.board == state.current_player, state.board == 1 - state.current_player
        return jnp.stack([mine, theirs], axis=-1).astype(jnp.float32)

    def parse_state(self, text: str) -> LineState:
        """Returns the state of a line such as `.X./.O./... X`."""
        board, player = grid.parse_board(text, self.rows, self.columns)
        grid.check_turns(board, player, text)
        has_won = [bool(has_line(jnp.asarray(board == owner), self.length)) for owner in (0, 1)]
        if has_won[player]:
            raise ValueError(
                f"position {text!r}: the side to move has a line, so the game was over"
            )
        terminated, reward = any(has_won) or (board != grid.EMPTY).all(), has_won[0] - has_won[1]
        return LineState(jnp.asarray(board), **common_fields(player, terminated, reward))


@functools.partial(jax.jit, static_argnums=1)
def has_line(stones: chex.Array, length: int) -> chex.Array:
    """Tells, [] bool, whether `length` or more of the stones are in a row, column or diagonal.

    The stones, bool[rows, columns], are one player's.
    """
    rows, columns = stones.shape
    reach = length - 1
    padded = jnp.pad(stones, ((0, reach), (reach, reach)))

    def line_starts(row_step: int, column_step: int) -> chex.Array:
        """Returns bool[rows, columns]: the first cells of lines in one direction."""
        starts = stones
        for i in range(1, length):
            top, left = i * row_step, reach + i * column_step
            starts &= padded[top : top + rows, left : left + columns]
        return starts

    # One `any` for all directions: each compiles to a loop.
    return (line_starts(0, 1) | line_starts(1, 0) | line_starts(1, 1) | line_starts(1, -1)).any()
