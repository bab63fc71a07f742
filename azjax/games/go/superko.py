"""Positional superko: no move may repeat an earlier board.

A board is `chains`, as in chains.py. The history holds the hashes of earlier boards, [2, T] uint32,
padded with zeros. Zero is the hash of the empty board, which no stone can repeat.
"""

import functools

import chex
import jax
import jax.numpy as jnp
import numpy as np

from azjax.games.board_tables import read_only
from azjax.games.go import chains
from azjax.support.machine.target import targets_cpu

CELL_BITS = 10  # enough to number the cells of the largest board, 26 x 26


@jax.jit
def hash_board(board: chex.Array) -> chex.Array:
    """Returns [2] uint32: the keys of player 0's stones less player 1's, modulo 2**32.

    Boards with equal stones have equal hashes; others collide with a probability of about 2**-52.
    """
    stones = _modular(jnp.sign(board)).reshape(1, -1)
    return (stones * jnp.asarray(_keys(board.size))).sum(axis=1, dtype=jnp.uint32)


def is_repeated(history: chex.Array, board: chex.Array) -> chex.Array:
    """Tells whether the board, which is not empty, is in the history, [2, T]."""
    return (history == hash_board(board)[:, None]).all(axis=0).any()


def forbidden_captures(
    history: chex.Array,
    board: chex.Array,
    liberties: chex.Array,
    sign: chex.Numeric,
    captures: chex.Array,
) -> chex.Array:
    """Returns bool[size, size]: the captures that repeat an earlier board, among given ones.

    On a CPU a loop checks them one at a time, as there are few. An accelerator checks all cells.
    The liberties are the board's `chains.atari_liberties`, and the sign is the mover's, 1 or -1.
    """
    if not targets_cpu():
        return captures & _repeating_captures(history, board, liberties, sign)
    cells = jnp.arange(board.size).reshape(board.shape)

    def check_first(carry):
        unchecked, forbidden = carry
        cell = unchecked.argmax()
        is_forbidden = is_repeated(history, chains.capture(board, liberties, cell, sign))
        return unchecked & (cells != cell), forbidden | ((cells == cell) & is_forbidden)

    carry = captures, jnp.zeros_like(captures)
    return jax.lax.while_loop(lambda carry: carry[0].any(), check_first, carry)[1]


def _repeating_captures(
    history: chex.Array, board: chex.Array, liberties: chex.Array, sign: chex.Numeric
) -> chex.Array:
    """Returns bool[size, size]: where a stone with its captures would give an earlier board.

    The hash gains the key of the stone, and loses the keys of the captured stones, whose sign is
    the opposite one: it gains them, too.
    """
    keys = jnp.asarray(_keys(board.size))
    is_threatened = (board * sign < 0) & (liberties != chains.NO_CELL)
    liberty = jnp.where(is_threatened, liberties, board.size).reshape(-1)
    captured = jnp.zeros((2, board.size + 1), jnp.uint32).at[:, liberty].add(keys)[:, :-1]
    after = hash_board(board)[:, None] + (keys + captured) * _modular(sign)
    is_earlier = (after[:, :, None] == history[:, None, :]).all(axis=0).any(axis=-1)
    return is_earlier.reshape(board.shape)


def forbidden_additions(history: chex.Array, board: chex.Array, sign: chex.Numeric) -> chex.Array:
    """Returns bool[size, size]: the cells where one more stone of the mover repeats a board.

    No capture is needed after a pass: one stone captured two, one of the two is back and has
    captured that stone, and the other would now complete the earlier board. The hashes of the two
    boards differ by the key of one stone, which contains its cell. This is rare, so on a CPU the
    loop seldom runs.
    """
    added = (history - hash_board(board)[:, None]) * _modular(sign)
    cell = jnp.minimum(added[0] % 2**CELL_BITS, board.size - 1)
    is_key = (jnp.asarray(_keys(board.size))[:, cell] == added).all(axis=0)
    is_addition = is_key & (board.reshape(-1)[cell] == 0)  # not a removed stone of the opponent
    if not targets_cpu():
        forbidden = jnp.zeros(board.size, bool).at[cell].max(is_addition)
        return forbidden.reshape(board.shape)
    cells = jnp.arange(board.size, dtype=jnp.uint32).reshape(board.shape)

    def mark_first(carry):
        unmarked, forbidden = carry
        first = cell[unmarked.argmax()]
        return unmarked & (cell != first), forbidden | (cells == first)

    carry = is_addition, jnp.zeros(board.shape, bool)
    return jax.lax.while_loop(lambda carry: carry[0].any(), mark_first, carry)[1]


def _modular(signs: chex.Array) -> chex.Array:
    """Returns the signs as uint32, where -1 is 2**32 - 1."""
    return signs.astype(jnp.int32).astype(jnp.uint32)


@functools.cache
def _keys(num_cells: int) -> np.ndarray:
    """Returns [2, num_cells] uint32: the two words of each cell's key.

    They are random, except that the lowest bits of the first word are the cell.
    """
    keys = np.random.default_rng(0).integers(2**32, size=(2, num_cells), dtype=np.uint32)
    keys[0] = keys[0] >> CELL_BITS << CELL_BITS | np.arange(num_cells, dtype=np.uint32)
    return read_only(keys)
