"""Quixo: players push a border cube back in at another end; a line of own cubes wins."""

import dataclasses
import functools
from typing import NamedTuple

import chex
import jax.numpy as jnp
import numpy as np

from azjax.games import bitboard, grid
from azjax.games.board_game import SquareGame
from azjax.games.board_tables import Symmetries, board_symmetries, make_symmetries, read_only
from azjax.games.game import Game, common_fields, select_state


class QuixoState(NamedTuple):
    """A position."""

    cubes: chex.Array  # [2] uint32, the bitboards of player 0's cubes and of player 1's
    num_moves: chex.Array  # [] int16, the move count
    current_player: chex.Array  # [] int8
    terminated: chex.Array  # [] bool
    rewards: chex.Array  # [2] int8


@dataclasses.dataclass(frozen=True)
class Quixo(SquareGame[QuixoState]):
    """The game on `size` x `size` cubes, all blank at the start.

    A move takes a border cube that is blank or the mover's, and pushes it in at another end of its
    row or column; it is then the mover's. A mover who completes a line of the opponent's loses,
    even with an own line. Actions are numbered by the cube's cell, then by the end where it goes
    in: left, right, top, bottom.
    """

    size: int = 5
    name: str = "quixo"
    version: int = 1

    parse_moves = Game.parse_moves  # actions are no cells

    def __post_init__(self):
        if not 3 <= self.size <= 5:
            raise ValueError(f"size={self.size}: must be 3, 4 or 5")

    @property
    def num_actions(self) -> int:
        return len(_make_moves(self.size).taken)

    @property
    def max_moves(self) -> int:
        return 8 * self.size**2

    @property
    def max_positions(self) -> float:
        """Twice the boards: either player may be to move."""
        return 2 * super().max_positions

    def without_move_count(self, state: QuixoState) -> QuixoState:
        """Returns the state with no move counted."""
        return state._replace(num_moves=state.num_moves * 0)

    def init(self, key: chex.PRNGKey) -> QuixoState:
        """Returns the state of blank cubes; the key is not used."""
        return QuixoState(jnp.zeros(2, jnp.uint32), num_moves=jnp.int16(0), **common_fields())

    def step(self, state: QuixoState, action: chex.Numeric) -> QuixoState:
        """Returns the state after the player to move has pushed a cube in."""
        moves = _make_moves(self.size)
        exists = (action >= 0) & (action < self.num_actions)  # an index out of range is clamped
        taken, inserted, pushed, up, down = (jnp.asarray(table)[action] for table in moves)
        mine, theirs = self._cubes_of_mover(state)
        legal = exists & (theirs & taken == 0)

        def push(cubes):
            between = cubes & pushed & ~taken
            return (cubes & ~pushed) | (between << up) | (between >> down)

        mine = jnp.where(legal, push(mine) | inserted, mine)
        theirs = jnp.where(legal, push(theirs), theirs)
        lost = ~legal | self._has_line(theirs)
        won = ~lost & self._has_line(mine)
        num_moves = state.num_moves + jnp.int16(1)
        mover = state.current_player
        is_mover = jnp.arange(2) == mover
        mover_reward = won.astype(jnp.int8) - lost.astype(jnp.int8)
        after = QuixoState(
            cubes=jnp.where(is_mover, mine, theirs),
            num_moves=num_moves,
            current_player=1 - mover,
            terminated=won | lost | (num_moves >= self.max_moves),
            rewards=jnp.where(is_mover, mover_reward, -mover_reward),
        )
        return select_state(state.terminated, state, after)

    def legal_action_mask(self, state: QuixoState) -> chex.Array:
        """Returns bool[A]: actions that take no opponent's cube; none in a finished state."""
        _, theirs = self._cubes_of_mover(state)
        return (theirs & _make_moves(self.size).taken == 0) & ~state.terminated

    def owners(self, state: QuixoState) -> chex.Array:
        first, second = map(self._cells, state.cubes)
        return jnp.where(first, 0, jnp.where(second, 1, grid.EMPTY)).astype(jnp.int8)

    def observe(self, state: QuixoState) -> chex.Array:
        """Returns float32[size, size, 2]: the mover's cubes, then the opponent's."""
        planes = [self._cells(cubes) for cubes in self._cubes_of_mover(state)]
        return jnp.stack(planes, axis=-1).astype(jnp.float32)

    @functools.cached_property
    def symmetries(self) -> Symmetries:
        """The rotations and reflections of the board."""
        cells = board_symmetries(self.size, self.size)
        number = {move: action for action, move in enumerate(_list_moves(self.size))}
        actions = [[number[view[a], view[b]] for a, b in number] for view in cells.tolist()]
        return make_symmetries(cells, np.array(actions, np.int32))

    @functools.cached_property
    def action_planes(self) -> np.ndarray:
        """[A, size, size, 2] float32: the cube taken, and the cell where it goes in."""
        cells = np.array(_list_moves(self.size))[:, :, None] == np.arange(self.size**2)
        planes = cells.reshape(-1, 2, self.size, self.size).astype(np.float32)
        return read_only(np.moveaxis(planes, 1, -1))

    def format_action(self, action: int) -> str:
        """Returns the cube's row and column, from 0, and the end it goes in, as in `0,4,B`."""
        taken, inserted = _list_moves(self.size)[int(action)]
        row, column = divmod(taken, self.size)
        end_row, end_column = divmod(inserted, self.size)
        in_row = "L" if end_column < column else "R"
        end = in_row if end_row == row else "T" if end_row < row else "B"
        return f"{row},{column},{end}"

    def parse_action(self, text: str) -> int:
        """Returns the action of a move such as `0,4,B`."""
        names = [self.format_action(action) for action in range(self.num_actions)]
        if text.strip().upper() not in names:
            raise ValueError(
                f"{text.strip()!r} is not a move: write the row and column of a border cube, 0 to "
                f"{self.size - 1}, and another end of either, L, R, T or B, such as {names[-1]}"
            )
        return names.index(text.strip().upper())

    def format_state(self, state: QuixoState) -> str:
        """Returns the position in one line and the move count, such as `.X./.../... O 1`."""
        return f"{super().format_state(state)} {state.num_moves}"

    def parse_state(self, text: str) -> QuixoState:
        """Returns the state of a line such as `.X./.../... O 1`; the move count is optional."""
        position, _, count = text.strip().rpartition(" ")
        if not count.isdecimal():
            position, count = text, "0"
        elif int(count) > self.max_moves:
            raise ValueError(f"position {text!r} has more than {self.max_moves} moves played")
        board, player = grid.parse_board(position, self.size, self.size, text)
        cubes = bitboard.pack(np.stack([board == 0, board == 1]).reshape(2, -1))[:, 0]
        # The opponent moved last, and has lost where the side to move has a line.
        player_won, opponent_won = (self._has_line(cubes[i]) for i in (player, 1 - player))
        reward = 1 if player_won else -int(opponent_won)
        return QuixoState(
            cubes=jnp.asarray(cubes),
            num_moves=jnp.int16(int(count)),
            **common_fields(
                player, reward != 0 or int(count) >= self.max_moves, reward * (1 - 2 * player)
            ),
        )

    def render(self, state: QuixoState) -> str:
        """Returns the board as lines of text, rows and columns counted from 0."""
        names = [str(i) for i in range(self.size)]
        return grid.render_board(np.asarray(self.owners(state)), names, names)

    def _cubes_of_mover(self, state: QuixoState) -> tuple[chex.Array, chex.Array]:
        """Returns the cubes of the player to move, then the opponent's."""
        first, second = state.cubes[0], state.cubes[1]
        moves_first = state.current_player == 0
        return jnp.where(moves_first, first, second), jnp.where(moves_first, second, first)

    def _has_line(self, cubes: chex.Array) -> chex.Array:
        lines = _lines(self.size)
        return (cubes & lines == lines).any()

    def _cells(self, cubes: chex.Array) -> chex.Array:
        return bitboard.unpack(cubes[None], self.size**2).reshape(self.size, self.size)


class _Moves(NamedTuple):
    """The effect of each action on a bitboard."""

    taken: np.ndarray  # [A] uint32, the cube's cell
    inserted: np.ndarray  # [A] uint32, the cell where it goes in
    pushed: np.ndarray  # [A] uint32, the cells from one to the other, both included
    up: np.ndarray  # [A] uint32, the shift of the cubes between towards higher cells
    down: np.ndarray  # [A] uint32, towards lower cells; one of the two is WORD, which clears all


@functools.cache
def _list_moves(size: int) -> list[tuple[int, int]]:
    """Returns for each action the cell taken and the cell inserted."""
    last = size - 1
    moves = []
    for row in range(size):
        for column in range(size):
            if {row, column} & {0, last}:
                ends = ((row, 0), (row, last), (0, column), (last, column))
                moves += [((row, column), end) for end in ends if end != (row, column)]
    return [(r * size + c, end_r * size + end_c) for (r, c), (end_r, end_c) in moves]


@functools.cache
def _make_moves(size: int) -> _Moves:
    taken, inserted = np.array(_list_moves(size)).T
    in_row = taken // size == inserted // size
    stride = np.where(in_row, 1, size)
    cells = np.arange(size**2)[None, :]
    low, high = np.minimum(taken, inserted)[:, None], np.maximum(taken, inserted)[:, None]
    pushed = (low <= cells) & (cells <= high) & ((cells - low) % stride[:, None] == 0)
    is_up = inserted < taken
    return _Moves(
        taken=bitboard.pack(cells == taken[:, None])[:, 0],
        inserted=bitboard.pack(cells == inserted[:, None])[:, 0],
        pushed=bitboard.pack(pushed)[:, 0],
        up=np.where(is_up, stride, bitboard.WORD).astype(np.uint32),
        down=np.where(is_up, bitboard.WORD, stride).astype(np.uint32),
    )


@functools.cache
def _lines(size: int) -> np.ndarray:
    """Returns uint32[2 * size + 2]: the rows, the columns and the diagonals."""
    board = np.arange(size**2).reshape(size, size)
    lines = [*board, *board.T, board.diagonal(), board[:, ::-1].diagonal()]
    return bitboard.pack(np.stack([np.isin(np.arange(size**2), line) for line in lines]))[:, 0]
