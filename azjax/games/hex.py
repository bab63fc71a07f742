"""Hex: a stone goes on any empty cell; a chain between the player's two edges wins. No draws."""

import dataclasses
import functools
from typing import NamedTuple

import chex
import jax
import jax.numpy as jnp
import numpy as np

from azjax.games import grid
from azjax.games.board_game import SquareGame
from azjax.games.game import common_fields, rewards_of, select_state

FIRST_EDGE, SECOND_EDGE, FIRST_CELL = 1, 2, 3  # chain ids; the edges' come first
NEIGHBOURS = ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0))  # row and column offsets


class HexState(NamedTuple):
    """A position of Hex.

    A cell holds the id of its stone's chain, positive for player 0, negative for player 1, or 0 if
    it is empty. A player's two edges count as stones. A chain's id is the smallest id of its
    stones: FIRST_EDGE (top or left), SECOND_EDGE, or FIRST_CELL + cell. So ids depend on the stones
    alone, not on the order of moves.
    """

    board: chex.Array  # [size, size] int8, or int16 on boards with more ids
    current_player: chex.Array  # [] int8
    terminated: chex.Array  # [] bool
    rewards: chex.Array  # [2] int8


@dataclasses.dataclass(frozen=True)
class Hex(SquareGame[HexState]):
    """The game on `size` x `size` cells; an action is the cell `row * size + column`.

    Player 0 connects top and bottom, player 1 left and right. With `swap`, player 1 may answer the
    first move with the last action, the swap: the stone becomes player 1's, mirrored in the main
    diagonal.
    """

    size: int = 11
    swap: bool = False
    name: str = "hex"
    version: int = 1

    def __post_init__(self):
        if not 1 <= self.size <= 26:
            raise ValueError(f"size={self.size}: must be 1 to 26")

    @property
    def last_action(self) -> str | None:
        return "swap" if self.swap else None

    @property
    def observation_shape(self) -> tuple[int, int, int]:
        return self.size, self.size, 3

    @property
    def max_moves(self) -> int:
        return self.num_actions

    @property
    def max_positions(self) -> float:
        """The boards, twice with the swap rule: either player may then be to move."""
        return super().max_positions * (1 + self.swap)

    def init(self, key: chex.PRNGKey) -> HexState:
        """Returns the empty board; the key is not used."""
        board = jnp.zeros((self.size, self.size), self._id_dtype)
        return HexState(board=board, **common_fields())

    def step(self, state: HexState, action: chex.Numeric) -> HexState:
        """Returns the state after the player to move has placed a stone or swapped."""
        mover = state.current_player
        legal = self.is_legal(state, action)
        board, cell = self._apply_swap(state.board, action)
        board, won = self._place_stone(board, cell, mover)
        mover_reward = jnp.where(legal, won.astype(jnp.int8), jnp.int8(-1))
        after = HexState(
            board=jnp.where(legal, board, state.board),
            current_player=1 - mover,
            terminated=~legal | won,
            rewards=rewards_of(mover, mover_reward),
        )
        return select_state(state.terminated, state, after)

    def _apply_swap(
        self, board: chex.Array, action: chex.Numeric
    ) -> tuple[chex.Array, chex.Numeric]:
        """Returns the board before the mover's stone, and the stone's cell.

        A swap clears the board; its cell is the mirrored cell of the only stone.
        """
        if not self.swap:
            return board, action
        is_swap = action == self.num_cells
        mirrored_cells = np.arange(self.num_cells, dtype=self._id_dtype).reshape(board.shape).T
        swapped_cell = jnp.sum(mirrored_cells * (board != 0), dtype=self._id_dtype)
        return jnp.where(is_swap, 0, board), jnp.where(is_swap, swapped_cell, action)

    def _place_stone(
        self, board: chex.Array, cell: chex.Numeric, player: chex.Array
    ) -> tuple[chex.Array, chex.Array]:
        """Returns the chain ids with a stone on an empty cell, and whether it joins the edges."""
        sign = (1 - 2 * player).astype(board.dtype)
        edges = jnp.array([FIRST_EDGE, SECOND_EDGE, -FIRST_EDGE, -SECOND_EDGE], board.dtype)
        neighbours = jnp.asarray(_neighbours(self.size))[cell]
        neighbour_ids = sign * jnp.concatenate([board.reshape(-1), edges])[neighbours]
        own_id = jnp.asarray(cell + FIRST_CELL, board.dtype)
        joined = jnp.where(neighbour_ids > 0, neighbour_ids, own_id)  # own chains alone
        own = sign * board
        merged = (jnp.arange(self.num_cells) == cell).reshape(board.shape)
        for i in range(len(NEIGHBOURS)):
            merged |= own == joined[i]
        won = (joined == FIRST_EDGE).any() & (joined == SECOND_EDGE).any()
        return sign * jnp.where(merged, jnp.minimum(joined.min(), own_id), own), won

    def legal_action_mask(self, state: HexState) -> chex.Array:
        """Returns bool[A]: the empty cells, and the swap as the second move."""
        empty = (state.board == 0).reshape(-1)
        if self.swap:
            one_stone = empty.sum(dtype=self._id_dtype) == self.num_cells - 1
            empty = jnp.append(empty, one_stone & (state.current_player == 1))
        return empty & ~state.terminated

    def observe(self, state: HexState) -> chex.Array:
        """Returns float32[size, size, 3]: the mover's stones, the opponent's, and the mover.

        The last plane is 0 if the mover connects top and bottom, 1 if left and right.
        """
        owners = self.owners(state)
        mine, theirs = owners == state.current_player, owners == 1 - state.current_player
        mover = jnp.broadcast_to(state.current_player, owners.shape)
        return jnp.stack([mine, theirs, mover], axis=-1).astype(jnp.float32)

    @property
    def _id_dtype(self) -> type[np.signedinteger]:
        """The smallest signed integer type that holds all chain ids."""
        largest = FIRST_CELL + self.num_cells - 1
        return np.int8 if largest <= np.iinfo(np.int8).max else np.int16

    def owners(self, state: HexState) -> chex.Array:
        return jnp.where(state.board == 0, grid.EMPTY, state.board < 0).astype(jnp.int8)

    @property
    def cell_symmetries(self) -> np.ndarray:
        """The identity and the half turn."""
        return super().cell_symmetries[[0, 3]]

    def parse_state(self, text: str) -> HexState:
        """Returns the state of a line such as `.X./.O./... X`."""
        owners, player = grid.parse_board(text, self.size, self.size)
        if not (self.swap and _is_swapped(owners, player)):
            grid.check_turns(owners, player, text)
        board, connected = self._chains(owners)
        if connected[player]:
            raise ValueError(
                f"position {text!r}: the side to move has connected its edges, so the game was over"
            )
        return HexState(
            board=board,
            **common_fields(player, connected.any(), int(connected[0]) - int(connected[1])),
        )

    @functools.partial(jax.jit, static_argnums=0)
    def _chains(self, owners: chex.Array) -> tuple[chex.Array, chex.Array]:
        """Returns chain ids of a board of owners, and [2] bool: whether edges are connected."""

        def place(cell, board):
            owner = owners.reshape(-1)[cell]
            return jnp.where(owner == grid.EMPTY, board, self._place_stone(board, cell, owner)[0])

        empty = jnp.zeros(owners.shape, self._id_dtype)
        board = jax.lax.fori_loop(0, self.num_cells, place, empty)
        far_edges = board[-1] == FIRST_EDGE, board[:, -1] == -FIRST_EDGE
        connected = jnp.stack(far_edges).any(axis=1)
        # Stones placed after the edges were connected may join the second edge under its old id.
        joined = (jnp.abs(board) == SECOND_EDGE) & jnp.where(board > 0, connected[0], connected[1])
        return jnp.where(joined, jnp.sign(board) * FIRST_EDGE, board), connected

    def render(self, state: HexState) -> str:
        """Returns the board as a parallelogram, with coordinates."""
        header, *lines = super().render(state).split("\n")
        return "\n".join([header, *(" " * indent + line for indent, line in enumerate(lines))])


def _is_swapped(owners: np.ndarray, player: int) -> bool:
    """Tells whether the numbers of stones are those after a swap."""
    first, second = (owners == 0).sum(), (owners == 1).sum()
    return second > 0 and second - first == 1 - player


@functools.cache
def _neighbours(size: int) -> np.ndarray:
    """Returns [size**2, 6] int32: the neighbours of each cell.

    Off the board the neighbour is an edge, numbered after the cells: top, bottom, left, right. A
    neighbour beyond a corner is either of its edges: the cell has other neighbours on both.
    """
    row, column = np.divmod(np.arange(size**2)[:, None], size)
    down, right = np.array(NEIGHBOURS).T[:, None, :]
    row, column = row + down, column + right
    off_board = [row < 0, row == size, column < 0, column == size]
    return np.select(off_board, size**2 + np.arange(4)[:, None, None], row * size + column).astype(
        np.int32
    )
