"""Othello: a disc flips the opponent's runs that it outflanks; the player with more discs wins."""

import dataclasses
from typing import NamedTuple

import chex
import jax.numpy as jnp
import numpy as np

from azjax.games import bitboard, grid
from azjax.games.bitboard import Bitboard
from azjax.games.board_game import SquareGame
from azjax.games.game import common_fields, select_state


class OthelloState(NamedTuple):
    """A position."""

    discs: chex.Array  # [2, 2] uint32, the bitboards of player 0's discs and of player 1's
    current_player: chex.Array  # [] int8
    terminated: chex.Array  # [] bool
    rewards: chex.Array  # [2] int8


@dataclasses.dataclass(frozen=True)
class Othello(SquareGame[OthelloState]):
    """The game on `size` x `size` cells; an action is the cell `row * size + column`, or a pass.

    Player 0 is black. The pass, action `size**2`, is legal where no cell flips a disc, and only
    there. The game ends when no cell flips a disc for either player.
    """

    size: int = 8
    name: str = "othello"
    version: int = 1

    last_action = "pass"

    def __post_init__(self):
        if self.size not in (4, 6, 8):
            raise ValueError(f"size={self.size}: must be 4, 6 or 8")

    @property
    def max_moves(self) -> int:
        """Twice the empty cells of the start: there are no two passes in a row."""
        return 2 * (self.size**2 - 4)

    def init(self, key: chex.PRNGKey) -> OthelloState:
        """Returns the state with four discs in the middle; the key is not used."""
        right = self.size // 2
        board = np.full((self.size, self.size), grid.EMPTY)
        board[right - 1 : right + 1, right - 1 : right + 1] = [[1, 0], [0, 1]]
        return self._make_state(board, player=0)

    def step(self, state: OthelloState, action: chex.Numeric) -> OthelloState:
        """Returns the state after the player to move has placed a disc, or passed."""
        mine, theirs = _discs_of_mover(state)
        is_pass = action == self.num_actions - 1
        is_cell = (action >= 0) & (action < self.size**2)  # words have bits beyond a small board
        disc = _cell(action)
        flipped = self._flipped(mine, theirs, disc)
        legal = jnp.where(
            is_pass,
            ~self._moves(mine, theirs).any(),
            is_cell & (disc & ~(mine | theirs)).any() & flipped.any(),
        )
        placed = (disc | flipped).where(legal & ~is_pass)
        mine, theirs = mine | placed, theirs & ~placed
        terminated = ~legal | ~(self._moves(theirs, mine) | self._moves(mine, theirs)).any()
        lead = jnp.sign(mine.popcount() - theirs.popcount()).astype(jnp.int8)
        mover = state.current_player
        is_mover = jnp.arange(2) == mover
        mover_reward = jnp.where(legal, jnp.where(terminated, lead, jnp.int8(0)), jnp.int8(-1))
        after = OthelloState(
            discs=jnp.where(is_mover[:, None], jnp.stack(mine)[None], jnp.stack(theirs)[None]),
            current_player=1 - mover,
            terminated=terminated,
            rewards=jnp.where(is_mover, mover_reward, -mover_reward),
        )
        return select_state(state.terminated, state, after)

    def legal_action_mask(self, state: OthelloState) -> chex.Array:
        """Returns bool[A]: the cells that flip a disc, else the pass; none in a finished state."""
        moves = self._moves(*_discs_of_mover(state))
        cells = bitboard.unpack(jnp.stack(moves), self.size**2)
        return jnp.append(cells, ~moves.any()) & ~state.terminated

    def owners(self, state: OthelloState) -> chex.Array:
        first, second = (bitboard.unpack(discs, self.size**2) for discs in state.discs)
        owners = jnp.where(first, 0, jnp.where(second, 1, grid.EMPTY))
        return owners.astype(jnp.int8).reshape(self.size, self.size)

    def lead(self, state: OthelloState) -> chex.Array:
        """Returns [] float32: the discs of player 0 on the board less player 1's."""
        return self.ownership(state).sum(dtype=jnp.float32)

    def observe(self, state: OthelloState) -> chex.Array:
        """Returns float32[size, size, 2]: the mover's discs, then the opponent's."""
        planes = [
            bitboard.unpack(jnp.stack(discs), self.size**2) for discs in _discs_of_mover(state)
        ]
        return jnp.stack(planes, axis=-1).reshape(self.observation_shape).astype(jnp.float32)

    def parse_state(self, text: str) -> OthelloState:
        """Returns the state of a line such as `..../.OX./.XO./.... X`."""
        board, player = grid.parse_board(text, self.size, self.size)
        state = self._make_state(board, player)
        mine, theirs = _discs_of_mover(state)
        terminated = not (self._moves(mine, theirs) | self._moves(theirs, mine)).any()
        lead = int(np.sign((board == 0).sum() - (board == 1).sum())) if terminated else 0
        return state._replace(**common_fields(player, terminated, lead))

    def _moves(self, mine: Bitboard, theirs: Bitboard) -> Bitboard:
        """Returns the empty cells where a disc of mine would flip some of theirs."""
        (_, beyond_up), (_, beyond_down) = self._runs(mine, theirs)
        # A reduction: XLA would fuse anything else into the mask, and recompute it for each cell.
        beyond = (beyond_up | beyond_down).union()
        return beyond & ~(mine | theirs) & _constant(np.ones(self.size**2, bool))

    def _flipped(self, mine: Bitboard, theirs: Bitboard, disc: Bitboard) -> Bitboard:
        """Returns the discs that one of mine, on the cell of `disc`, flips."""
        (up, beyond_up), (down, beyond_down) = self._runs(disc, theirs)
        is_outflanked_up, is_outflanked_down = (
            (beyond & mine.expand()).any() for beyond in (beyond_up, beyond_down)
        )
        return (up.where(is_outflanked_up) | down.where(is_outflanked_down)).union()

    def _runs(self, start: Bitboard, theirs: Bitboard) -> list[tuple[Bitboard, Bitboard]]:
        """Returns the unbroken runs of theirs from `start`, and the cells just beyond them.

        The first pair is for four directions towards higher cells, the second for the opposite
        directions. A shift across the left or right edge wraps around, so sideways runs exclude
        discs on these edges. No legal move is lost: a run up to an edge cannot be outflanked.
        """
        is_inner = np.ones((self.size, self.size), bool)
        is_inner[:, [0, -1]] = False
        strides = np.array([1, self.size - 1, self.size, self.size + 1], np.uint32)
        is_vertical = (strides == self.size)[:, None]
        through = theirs.expand() & _constant(is_vertical | is_inner.reshape(1, -1))
        pairs = []
        for shift in (Bitboard.shift_up, Bitboard.shift_down):
            runs = shift(start.expand(), strides) & through
            for _ in range(self.size - 3):
                runs |= shift(runs, strides) & through
            pairs.append((runs, shift(runs, strides)))
        return pairs

    def _make_state(self, board: np.ndarray, player: int) -> OthelloState:
        """Returns the unfinished state of a board of owners."""
        owners = np.stack([board == 0, board == 1]).reshape(2, -1)
        return OthelloState(discs=jnp.asarray(_pack(owners)), **common_fields(player))


def _discs_of_mover(state: OthelloState) -> tuple[Bitboard, Bitboard]:
    """Returns the discs of the player to move, then the opponent's."""
    first, second = Bitboard(*state.discs[0]), Bitboard(*state.discs[1])
    moves_first = state.current_player == 0
    return (
        first.where(moves_first) | second.where(~moves_first),
        second.where(moves_first) | first.where(~moves_first),
    )


def _cell(action: chex.Numeric) -> Bitboard:
    """Returns the set of the action's cell, empty where the action is not 0 to 63."""
    cell = jnp.asarray(action, jnp.int32)
    one = jnp.uint32(1) << (cell % bitboard.WORD).astype(jnp.uint32)
    low, high = cell // bitboard.WORD == 0, cell // bitboard.WORD == 1
    return Bitboard(jnp.where(low, one, 0), jnp.where(high, one, 0))


def _pack(cells: np.ndarray) -> np.ndarray:
    """Packs bool[..., cells] into uint32[..., 2]."""
    padding = [(0, 0)] * (cells.ndim - 1) + [(0, 64 - cells.shape[-1])]
    return bitboard.pack(np.pad(cells, padding))


def _constant(cells: np.ndarray) -> Bitboard:
    words = jnp.asarray(_pack(cells))
    return Bitboard(words[..., 0], words[..., 1])
