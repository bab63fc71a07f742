"""Chains of stones: liberties, captures and areas on a square board.

A board is `chains`, [size, size] of a signed integer: 0 for an empty cell, otherwise the id of the
stone's chain, positive for player 0, negative for player 1. The id is 1 + the first cell of the
chain, so ids depend on the stones alone, not on the order of moves. A `sign` is 1 for player 0, -1
for player 1.
"""

import functools
from collections.abc import Iterable

import chex
import jax
import jax.numpy as jnp
import numpy as np

from azjax.support.machine.target import targets_cpu

NO_CELL = -1


def dtype(size: int) -> np.dtype:
    """Returns the smallest signed integer type that holds the ids of chains."""
    return np.dtype(np.int8 if size**2 <= np.iinfo(np.int8).max else np.int16)


def neighbours(cells: chex.Array, padding: chex.Numeric) -> chex.Array:
    """Returns [4, size, size]: the values above, below, left and right; `padding` off the board."""
    padded = jnp.pad(cells, 1, constant_values=padding)
    return jnp.stack([padded[:-2, 1:-1], padded[2:, 1:-1], padded[1:-1, :-2], padded[1:-1, 2:]])


def is_beside(cells: chex.Array) -> chex.Array:
    """Returns bool[size, size]: whether a neighbour is in the set `cells`, bool[size, size]."""
    return neighbours(cells, False).any(axis=0)


def atari_liberties(chains: chex.Array) -> chex.Array:
    """Returns [size, size] int32: the liberty of each stone's chain that is in atari, else NO_CELL.

    A chain is in atari, has one liberty, where its highest liberty is also its lowest.
    """
    num_cells = chains.size
    cells = jnp.arange(num_cells, dtype=jnp.int32).reshape(chains.shape)
    empty = chains == 0
    highest = neighbours(jnp.where(empty, cells, -1), -1).max(axis=0)
    lowest = neighbours(jnp.where(empty, cells, num_cells), num_cells).min(axis=0)
    chain = jnp.abs(chains.astype(jnp.int32)).reshape(-1)
    highest = jax.ops.segment_max(highest.reshape(-1), chain, num_cells + 1)[chain]
    lowest = jax.ops.segment_min(lowest.reshape(-1), chain, num_cells + 1)[chain]
    is_atari = (highest == lowest).reshape(chains.shape) & ~empty
    return jnp.where(is_atari, highest.reshape(chains.shape), NO_CELL)


def capturable(chains: chex.Array, liberties: chex.Array, sign: chex.Numeric) -> chex.Array:
    """Returns bool[size, size]: the opponent's stones that the player of `sign` can capture."""
    return (chains * sign < 0) & (liberties != NO_CELL)


def open_cells(chains: chex.Array, liberties: chex.Array, sign: chex.Numeric) -> chex.Array:
    """Returns bool[size, size]: the empty cells where a stone of that sign has a liberty.

    A neighbour is empty, an own stone whose chain is not in atari, or a stone that it captures.
    """
    empty = chains == 0
    is_safe = (chains * sign > 0) & (liberties == NO_CELL)
    return empty & is_beside(empty | is_safe | capturable(chains, liberties, sign))


def capture(
    chains: chex.Array, liberties: chex.Array, cell: chex.Numeric, sign: chex.Numeric
) -> chex.Array:
    """Places a stone on an empty cell, and removes the stones that it captures.

    The stone has its own id; `join` joins it to its chains.

    Args:
      chains: [size, size], the board.
      liberties: [size, size], its `atari_liberties`.
      cell: The cell, row * size + column.
      sign: The sign of the stone's owner.
    """
    is_cell = (jnp.arange(chains.size) == cell).reshape(chains.shape)
    is_captured = (chains * sign < 0) & (liberties == cell)
    stone = jnp.asarray(cell + 1, chains.dtype) * sign
    return jnp.where(is_cell, stone, jnp.where(is_captured, 0, chains))


def join(chains: chex.Array, cell: chex.Numeric, sign: chex.Numeric) -> chex.Array:
    """Joins the stone on the cell and its owner's neighbouring chains to one chain."""
    mine = chains * sign
    ids = neighbours(mine, 0).reshape(4, -1)[:, cell]
    ids = jnp.append(ids, mine.reshape(-1)[cell])
    is_joined = (mine > 0) & (mine[None] == ids[:, None, None]).any(axis=0)
    first = ids.min(where=ids > 0, initial=np.iinfo(mine.dtype).max)
    return jnp.where(is_joined, first * sign, chains)


def area_lead(chains: chex.Array, is_counted: chex.Numeric = True) -> chex.Array:
    """Returns [] int32: the area of player 0 less player 1's.

    A player's area is its stones, and the empty cells from which paths over empty cells lead to its
    stones alone.

    Args:
      chains: [size, size], the board.
      is_counted: [] bool; where it is False the result is not defined, and a CPU spends no time.
    """
    return _area_lead(chains, is_counted, has_loops=targets_cpu())


@functools.partial(jax.jit, static_argnames="has_loops")
def _area_lead(chains: chex.Array, is_counted: chex.Numeric, *, has_loops: bool) -> chex.Array:
    reached_by = _reached_by(chains, is_counted, has_loops=has_loops)
    return (reached_by == 1).sum(dtype=jnp.int32) - (reached_by == 2).sum(dtype=jnp.int32)


def area(chains: chex.Array, is_counted: chex.Numeric = True) -> chex.Array:
    """Returns int8[size, size]: 1 in the area of player 0, -1 in player 1's, else 0.

    Arguments are as in `area_lead`, which is its sum.
    """
    reached_by = _reached_by(chains, is_counted, has_loops=targets_cpu())
    return (reached_by == 1).astype(jnp.int8) - (reached_by == 2).astype(jnp.int8)


def _reached_by(chains: chex.Array, is_counted: chex.Numeric, *, has_loops: bool) -> chex.Array:
    """Returns uint8[size, size], the players that reach each cell: a bit for each."""
    empty = chains == 0
    if not has_loops:
        stones = jnp.stack([chains > 0, chains < 0])
        starts = jax.vmap(is_beside)(stones) & empty[None]
        first, second = stones | jax.vmap(fill, (0, None))(starts, empty)
        return first.astype(jnp.uint8) + 2 * second.astype(jnp.uint8)
    reached_by = (chains > 0).astype(jnp.uint8) + 2 * (chains < 0).astype(jnp.uint8)

    def spread(carry):
        reached_by, _ = carry
        beside = jnp.bitwise_or.reduce(neighbours(reached_by, 0), axis=0)
        spread_to = jnp.where(empty, reached_by | beside, reached_by)
        return spread_to, (spread_to != reached_by).any()

    return jax.lax.while_loop(lambda carry: carry[1], spread, (reached_by, is_counted))[0]


def fill(starts: chex.Array, is_open: chex.Array) -> chex.Array:
    """Returns bool[size, size]: the open cells that paths over open cells reach from the starts.

    It takes a fixed number of sweeps over the board, for accelerators. A row of the board is a word
    of bits. A sweep goes through the rows once and fills each from the one before, so it follows a
    path until that turns back to the rows before; a round is a sweep down and a sweep up. A
    shortest path over n x n cells has about 2 n^2 / 3 of them at most, and turns back once in three
    steps at most, so n^2 / 9 + 2 rounds follow every path to its end.

    Args:
      starts: bool[size, size], open cells.
      is_open: bool[size, size], of at most 32 x 32 cells.
    """
    size = len(is_open)
    open_rows = jnp.unstack(_to_words(is_open))

    def sweep(rows: list[chex.Array], order: Iterable[int]) -> None:
        before = jnp.uint32(0)
        for i in order:
            rows[i] = before = _fill_row(rows[i] | (before & open_rows[i]), open_rows[i], size)

    def sweep_twice(_: chex.Numeric, rows: list[chex.Array]) -> list[chex.Array]:
        rows = rows.copy()
        sweep(rows, range(size))
        sweep(rows, reversed(range(size)))
        return rows

    rows = list(jnp.unstack(_to_words(starts)))  # as one array they would be several kernels
    reached = jnp.stack(jax.lax.fori_loop(0, size**2 // 9 + 2, sweep_twice, rows))
    return (reached[:, None] >> jnp.arange(size, dtype=jnp.uint32)[None] & 1).astype(bool)


def _to_words(cells: chex.Array) -> chex.Array:
    """Returns uint32[size]: a row of bool[size, size] as bits."""
    bits = cells.astype(jnp.uint32) << jnp.arange(len(cells), dtype=jnp.uint32)[None]
    return bits.sum(axis=1, dtype=jnp.uint32)


def _fill_row(reached: chex.Array, is_open: chex.Array, size: int) -> chex.Array:
    """Returns the word of the open cells that a row's reached cells are connected to in it.

    Steps of 1, 2, 4, ... cells to both sides, over open cells alone (Kogge and Stone 1973).
    """
    up, down, shift = is_open, is_open, 1
    left = right = reached
    while shift < size:
        left, right = left | (up & left << shift), right | (down & right >> shift)
        up, down = up & up << shift, down & down >> shift
        shift *= 2
    return left | right


def from_owners(owners: np.ndarray) -> np.ndarray:
    """Returns the chains of a board of owners: 0, 1, or -1 for empty."""
    import scipy.ndimage  # importing it takes longer than --help should

    chains = np.zeros(owners.shape, dtype(len(owners)))
    ids = np.arange(1, 1 + owners.size).reshape(owners.shape)
    for owner, sign in enumerate((1, -1)):
        numbers, count = scipy.ndimage.label(owners == owner)
        for number in range(1, 1 + count):
            chain = numbers == number
            chains[chain] = sign * ids[chain].min()
    return chains


def to_owners(chains: np.ndarray) -> np.ndarray:
    """Returns the board of owners, int8: 0, 1, or -1 for empty."""
    return np.select([np.asarray(chains) > 0, np.asarray(chains) < 0], [0, 1], -1).astype(np.int8)
