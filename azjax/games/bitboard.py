"""Sets of cells as bits of words: cell i of a flat board is bit i."""

from typing import NamedTuple

import chex
import jax
import jax.numpy as jnp
import numpy as np

WORD = 32  # bits; JAX disables 64-bit integers by default


def pack(cells: np.ndarray) -> np.ndarray:
    """Packs bool[..., cells] into words, uint32[..., W], padded with zeros."""
    padding = -cells.shape[-1] % WORD
    padded = np.concatenate([cells, np.zeros((*cells.shape[:-1], padding), bool)], axis=-1)
    weights = np.left_shift(np.uint32(1), np.arange(WORD, dtype=np.uint32))
    words = padded.reshape(*cells.shape[:-1], -1, WORD)
    return np.where(words, weights, np.uint32(0)).sum(axis=-1, dtype=np.uint32)


def unpack(words: chex.Array, num_cells: int) -> chex.Array:
    """Unpacks words, uint32[W], into bool[num_cells]."""
    bits = words[:, None] >> jnp.arange(WORD, dtype=jnp.uint32)[None, :]
    return (bits & 1).astype(bool).reshape(-1)[:num_cells]


class Bitboard(NamedTuple):
    """Sets of up to 64 cells, as two words each; fields are scalars or arrays of any shape."""

    low: chex.Array  # [...] uint32, cells 0 to 31
    high: chex.Array  # [...] uint32, cells 32 to 63

    def __and__(self, other: "Bitboard") -> "Bitboard":
        return Bitboard(self.low & other.low, self.high & other.high)

    def __or__(self, other: "Bitboard") -> "Bitboard":
        return Bitboard(self.low | other.low, self.high | other.high)

    def __invert__(self) -> "Bitboard":
        return Bitboard(~self.low, ~self.high)

    def expand(self) -> "Bitboard":
        """Returns the sets with a leading axis of size 1."""
        return Bitboard(self.low[None], self.high[None])

    def shift_up(self, cells: chex.Array) -> "Bitboard":
        """Shifts all sets towards higher cells, by 1 to 31 cells."""
        return Bitboard(self.low << cells, (self.high << cells) | (self.low >> (WORD - cells)))

    def shift_down(self, cells: chex.Array) -> "Bitboard":
        """Shifts all sets towards lower cells, by 1 to 31 cells."""
        return Bitboard((self.low >> cells) | (self.high << (WORD - cells)), self.high >> cells)

    def where(self, condition: chex.Array) -> "Bitboard":
        """Returns the sets where the condition holds, and empty sets elsewhere."""
        return Bitboard(*(jnp.where(condition, word, jnp.uint32(0)) for word in self))

    def any(self) -> chex.Array:
        """Tells whether a set has a cell."""
        return (self.low | self.high) != 0

    def popcount(self) -> chex.Array:
        """Returns int32: the number of cells."""
        low, high = (jax.lax.population_count(word).astype(jnp.int32) for word in self)
        return low + high

    def union(self) -> "Bitboard":
        """Returns the union of sets along their only axis."""
        return Bitboard(*(jnp.bitwise_or.reduce(word, axis=0) for word in self))
