"""Positional superko: no move may bring back the stones of an earlier board.

A board is `chains`, as in chains.py. Of earlier boards there are hashes: [2, T] uint32
from the first on, then zeros, the hash of the empty board, which no stone can bring back.
"""

import functools

import chex
import jax
import jax.numpy as jnp
import numpy as np

from azjax.games.go import chains

CELL_BITS = 10  # enough to number the cells of the largest board, 26 x 26


@jax.jit
def hash_board(board: chex.Array) -> chex.Array:
    """Returns [2] uint32: the keys of player 0's stones less those of player 1's, modulo 2**32.

    Boards of equal stones have equal hashes; others have but with a chance of about 2**-52.
    """
    stones = _modular(jnp.sign(board)).reshape(1, -1)
    return (stones * jnp.asarray(_keys(board.size))).sum(axis=1, dtype=jnp.uint32)


def is_repeated(history: chex.Array, board: chex.Array) -> chex.Array:
    """Tells whether the board, not an empty one, is among those of the history, [2, T]."""
    return (history == hash_board(board)[:, None]).all(axis=0).any()


def forbidden_captures(
    history: chex.Array,
    board: chex.Array,
    liberties: chex.Array,
    sign: chex.Numeric,
    captures: chex.Array,
) -> chex.Array:
    """Returns bool[size, size]: the captures that bring an earlier board back.

    A loop takes them one at a time: there are few, so it ends soon.

    Args:
      history: [2, T], the hashes of the boards so far.
      board: [size, size], the last of them.
      liberties: [size, size], its `chains.atari_liberties`.
      sign: The mover, 1 or -1.
      captures: bool[size, size], the cells where a stone of the mover captures.
    """
    cells = jnp.arange(board.size).reshape(board.shape)

    def check_first(carry):
        unchecked, forbidden = carry
        cell = unchecked.argmax()
        is_back = is_repeated(history, chains.capture(board, liberties, cell, sign))
        return unchecked & (cells != cell), forbidden | ((cells == cell) & is_back)

    carry = captures, jnp.zeros_like(captures)
    return jax.lax.while_loop(lambda carry: carry[0].any(), check_first, carry)[1]


def forbidden_additions(history: chex.Array, board: chex.Array, sign: chex.Numeric) -> chex.Array:
    """Returns bool[size, size]: the cells where one more stone of the mover makes an earlier board.

    So it can be after a pass: two stones were captured by one, one of them has come back and
    captured that one, and now the other would come back. The earlier board differs by the key of
    one stone, and the key names its cell. That is rare, so the loop hardly ever runs.
    """
    added = (history - hash_board(board)[:, None]) * _modular(sign)
    cell = jnp.minimum(added[0] % 2**CELL_BITS, board.size - 1)
    is_key = (jnp.asarray(_keys(board.size))[:, cell] == added).all(axis=0)
    is_stone_more = is_key & (board.reshape(-1)[cell] == 0)  # or one of the opponent's is less
    cells = jnp.arange(board.size, dtype=jnp.uint32).reshape(board.shape)

    def mark_first(carry):
        unmarked, forbidden = carry
        first = cell[unmarked.argmax()]
        return unmarked & (cell != first), forbidden | (cells == first)

    carry = is_stone_more, jnp.zeros(board.shape, bool)
    return jax.lax.while_loop(lambda carry: carry[0].any(), mark_first, carry)[1]


def _modular(signs: chex.Array) -> chex.Array:
    """Returns the signs as uint32, where -1 is 2**32 - 1."""
    return signs.astype(jnp.int32).astype(jnp.uint32)


@functools.cache
def _keys(num_cells: int) -> np.ndarray:
    """Returns [2, num_cells] uint32: the two words of each cell's key.

    They are random but for the lowest bits of the first, which name the cell.
    """
    keys = np.random.default_rng(0).integers(2**32, size=(2, num_cells), dtype=np.uint32)
    keys[0] = keys[0] >> CELL_BITS << CELL_BITS | np.arange(num_cells, dtype=np.uint32)
    keys.setflags(write=False)
    return keys
