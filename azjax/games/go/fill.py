"""Which cells paths reach, in a fixed number of sweeps over the board, for accelerators.

A row of the board is a word of bits. A sweep goes through the rows once and fills each from the one
before, so it follows a path until that turns back to the rows before; a round is a sweep down and a
sweep up. A shortest path over n x n cells has about 2 n^2 / 3 of them at most, and turns back
once in three steps at most, so n^2 / 9 + 2 rounds follow every path to its end.
"""

from collections.abc import Iterable

import chex
import jax
import jax.numpy as jnp


def fill(starts: chex.Array, is_open: chex.Array) -> chex.Array:
    """Returns bool[size, size]: the open cells that paths over open cells reach from the starts.

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
