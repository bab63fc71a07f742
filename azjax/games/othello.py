"""Othello: a disc must outflank a run of the opponent's, which it turns over; more discs win."""

import dataclasses
import functools
from typing import NamedTuple

import chex
import jax
import jax.numpy as jnp
import numpy as np

from azjax.games import bitboard, grid
from azjax.games.bitboard import Bitboard
from azjax.games.game import Game
from azjax.games.symmetry import Symmetries, board_symmetries, make_symmetries


class OthelloState(NamedTuple):
    """A position."""

    discs: chex.Array  # [2, 2] uint32, the cells of player 0's discs and of player 1's, as bits
    current_player: chex.Array  # [] int8
    terminated: chex.Array  # [] bool
    rewards: chex.Array  # [2] int8


@dataclasses.dataclass(frozen=True)
class Othello(Game):
    """The game on `size` x `size` cells; action `row * size + column`, a pass is the last one.

    Player 0, black, moves first. A player passes where there is nothing to turn over, and only
    there; the game is over once neither player could move.
    """

    size: int = 8
    name: str = "othello"
    version: int = 1

    def __post_init__(self):
        """Raises ValueError where the board has no middle or does not fit into 64 bits."""
        if self.size not in (4, 6, 8):
            raise ValueError(f"size={self.size}: must be 4, 6 or 8")

    @property
    def num_actions(self) -> int:
        return self.size**2 + 1

    @property
    def observation_shape(self) -> tuple[int, int, int]:
        return self.size, self.size, 2

    @property
    def max_moves(self) -> int:
        """No two moves in a row are passes."""
        return 2 * (self.size**2 - 4)

    def init(self, key: chex.PRNGKey) -> OthelloState:
        """Returns the four discs in the middle; the key is not used."""
        del key
        right = self.size // 2
        board = np.full((self.size, self.size), grid.EMPTY)
        board[right - 1 : right + 1, right - 1 : right + 1] = [[1, 0], [0, 1]]
        return self._unfinished(board, player=0)

    def step(self, state: OthelloState, action: chex.Numeric) -> OthelloState:
        """Returns the state after the player to move has placed a disc, or passed."""
        mine, theirs = _discs_of_mover(state)
        is_pass = action == self.num_actions - 1
        disc = _cell(action)
        turned = self._turned(mine, theirs, disc)
        legal = jnp.where(
            is_pass,
            ~self._moves(mine, theirs).any(),
            ((disc & ~(mine | theirs)).any()) & turned.any(),
        )
        placed = (disc | turned).where(legal & ~is_pass)
        mine, theirs = mine | placed, theirs & ~placed
        is_over = ~legal | ~(self._moves(theirs, mine) | self._moves(mine, theirs)).any()
        lead = jnp.sign(mine.count() - theirs.count()).astype(jnp.int8)
        mover = state.current_player
        is_mover = jnp.arange(2) == mover
        mover_reward = jnp.where(legal, jnp.where(is_over, lead, jnp.int8(0)), jnp.int8(-1))
        after = OthelloState(
            discs=jnp.where(is_mover[:, None], jnp.stack(mine)[None], jnp.stack(theirs)[None]),
            current_player=1 - mover,
            terminated=is_over,
            rewards=jnp.where(is_mover, mover_reward, -mover_reward),
        )
        return jax.tree.map(lambda old, new: jnp.where(state.terminated, old, new), state, after)

    def legal_action_mask(self, state: OthelloState) -> chex.Array:
        """Returns bool[A]: the cells that turn a disc over, else the pass; none once it is over."""
        moves = self._moves(*_discs_of_mover(state))
        cells = bitboard.unpack(jnp.stack(moves), self.size**2)
        return jnp.append(cells, ~moves.any()) & ~state.terminated

    def observe(self, state: OthelloState) -> chex.Array:
        """Returns float32[size, size, 2]: the mover's discs, then the opponent's."""
        planes = [
            bitboard.unpack(jnp.stack(discs), self.size**2) for discs in _discs_of_mover(state)
        ]
        return jnp.stack(planes, axis=-1).reshape(self.observation_shape).astype(jnp.float32)

    @functools.cached_property
    def symmetries(self) -> Symmetries:
        """The rotations and reflections of the board; a pass stays a pass."""
        cells = board_symmetries(self.size, self.size)
        passes = np.full((len(cells), 1), self.num_actions - 1, np.int32)
        return make_symmetries(cells, np.concatenate([cells, passes], axis=1))

    def format_action(self, action: int) -> str:
        """Returns the cell, as in `d3` (its column, and its row from the top), or `pass`."""
        return grid.format_cell_or_pass(action, self.size)

    def parse_action(self, text: str) -> int:
        """Returns the action of a cell such as `d3`, or of `pass`."""
        return grid.parse_cell_or_pass(text, self.size)

    def format_state(self, state: OthelloState) -> str:
        """Returns the position in one line, such as `..../.OX./.XO./.... X`."""
        return grid.format_board(self._board(state), state.current_player)

    def parse_state(self, text: str) -> OthelloState:
        """Returns the state of a line such as `..../.OX./.XO./.... X`."""
        board, player = grid.parse_board(text, self.size, self.size)
        state = self._unfinished(board, player)
        mine, theirs = _discs_of_mover(state)
        is_over = not (self._moves(mine, theirs) | self._moves(theirs, mine)).any()
        lead = int(np.sign((board == 0).sum() - (board == 1).sum())) if is_over else 0
        return state._replace(
            terminated=jnp.array(is_over), rewards=jnp.array([lead, -lead], jnp.int8)
        )

    def render(self, state: OthelloState) -> str:
        """Returns the board drawn as lines of text, with coordinates."""
        return grid.draw_lettered_board(self._board(state))

    def parse_moves(self, text: str) -> list[int]:
        """Returns the actions of a record such as `8 7 -1 27`: cell numbers, -1 for a pass."""
        return grid.parse_cell_numbers_or_passes(text, self.size)

    def _moves(self, mine: Bitboard, theirs: Bitboard) -> Bitboard:
        """Returns the empty cells where a disc of mine would turn some of theirs over."""
        (_, beyond_up), (_, beyond_down) = self._runs(mine, theirs)
        # A reduction, because XLA would compute anything less anew for every cell of a mask.
        beyond = (beyond_up | beyond_down).union()
        return beyond & ~(mine | theirs) & _constant(np.ones(self.size**2, bool))

    def _turned(self, mine: Bitboard, theirs: Bitboard, disc: Bitboard) -> Bitboard:
        """Returns the discs that one of mine on that cell turns over."""
        (up, beyond_up), (down, beyond_down) = self._runs(disc, theirs)
        is_outflanked_up, is_outflanked_down = (
            (beyond & mine[None]).any() for beyond in (beyond_up, beyond_down)
        )
        return (up.where(is_outflanked_up) | down.where(is_outflanked_down)).union()

    def _runs(self, start: Bitboard, theirs: Bitboard) -> list[tuple[Bitboard, Bitboard]]:
        """Returns the unbroken runs of theirs from `start`, and the cells just beyond them.

        Both are for four directions, once towards higher cells and once towards lower ones. A step
        sideways from an edge comes out on the other side of the board, so no run goes through a
        disc on either edge, which could only end it.
        """
        is_inner = np.ones((self.size, self.size), bool)
        is_inner[:, [0, -1]] = False
        strides = np.array([1, self.size - 1, self.size, self.size + 1], np.uint32)
        is_upright = (strides == self.size)[:, None]
        through = theirs[None] & _constant(is_upright | is_inner.reshape(1, -1))
        found = []
        for move in (Bitboard.up, Bitboard.down):
            runs = move(start[None], strides) & through
            for _ in range(self.size - 3):
                runs |= move(runs, strides) & through
            found.append((runs, move(runs, strides)))
        return found

    def _unfinished(self, board: np.ndarray, player: int) -> OthelloState:
        owners = np.stack([board == 0, board == 1]).reshape(2, -1)
        return OthelloState(
            discs=jnp.asarray(_pack(owners)),
            current_player=jnp.int8(player),
            terminated=jnp.array(False),
            rewards=jnp.zeros(2, jnp.int8),
        )

    def _board(self, state: OthelloState) -> np.ndarray:
        first, second = (
            np.asarray(bitboard.unpack(jnp.asarray(words), self.size**2)) for words in state.discs
        )
        board = np.where(first, 0, np.where(second, 1, grid.EMPTY))
        return board.reshape(self.size, self.size)


def _discs_of_mover(state: OthelloState) -> tuple[Bitboard, Bitboard]:
    """Returns the discs of the player to move, then the opponent's."""
    first, second = Bitboard(*state.discs[0]), Bitboard(*state.discs[1])
    moves_first = state.current_player == 0
    return (
        first.where(moves_first) | second.where(~moves_first),
        second.where(moves_first) | first.where(~moves_first),
    )


def _cell(action: chex.Numeric) -> Bitboard:
    """Returns the one cell; none for an action that is not a cell of 64."""
    cell = jnp.asarray(action, jnp.int32)
    one = jnp.uint32(1) << (cell % bitboard.WORD).astype(jnp.uint32)
    low, high = cell // bitboard.WORD == 0, cell // bitboard.WORD == 1
    return Bitboard(jnp.where(low, one, 0), jnp.where(high, one, 0))


def _pack(cells: np.ndarray) -> np.ndarray:
    """Returns uint32[..., 2]: the words of bool[..., cells]."""
    padding = [(0, 0)] * (cells.ndim - 1) + [(0, 64 - cells.shape[-1])]
    return bitboard.pack(np.pad(cells, padding))


def _constant(cells: np.ndarray) -> Bitboard:
    words = jnp.asarray(_pack(cells))
    return Bitboard(words[..., 0], words[..., 1])
