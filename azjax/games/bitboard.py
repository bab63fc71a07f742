"""Sets of cells as bits of words: cell i of a flattened board is bit i."""

from typing import Any, NamedTuple

import chex
import jax
import jax.numpy as jnp
import numpy as np

WORD = 32  # bits; JAX has no longer words unless it is told to


def pack(cells: np.ndarray) -> np.ndarray:
    """Returns uint32[..., W]: the words of bool[..., cells], 32 cells a word, padded with zeros."""
    padding = -cells.shape[-1] % WORD
    padded = np.concatenate([cells, np.zeros((*cells.shape[:-1], padding), bool)], axis=-1)
    weights = np.left_shift(np.uint32(1), np.arange(WORD, dtype=np.uint32))
    words = padded.reshape(*cells.shape[:-1], -1, WORD)
    return np.where(words, weights, np.uint32(0)).sum(axis=-1, dtype=np.uint32)


def unpack(words: chex.Array, num_cells: int) -> chex.Array:
    """Returns bool[num_cells]: the cells of uint32[W]."""
    bits = words[:, None] >> jnp.arange(WORD, dtype=jnp.uint32)[None, :]
    return (bits & 1).astype(bool).reshape(-1)[:num_cells]


class Bitboard(NamedTuple):
    """Sets of up to 64 cells, as two words: one set, or several of any one shape."""

    low: chex.Array  # [...] uint32, cells 0 to 31
    high: chex.Array  # [...] uint32, cells 32 to 63

    def __and__(self, other: "Bitboard") -> "Bitboard":
        """Returns the intersection."""
        return Bitboard(self.low & other.low, self.high & other.high)

    def __or__(self, other: "Bitboard") -> "Bitboard":
        """Returns the union."""
        return Bitboard(self.low | other.low, self.high | other.high)

    def __invert__(self) -> "Bitboard":
        """Returns the complement within 64 cells."""
        return Bitboard(~self.low, ~self.high)

    def __getitem__(self, index: Any) -> "Bitboard":
        """Returns some of the sets, as an index of both words' arrays."""
        return Bitboard(self.low[index], self.high[index])

    def up(self, cells: chex.Array) -> "Bitboard":
        """Returns every cell moved up by a number of cells, 1 to 31."""
        return Bitboard(self.low << cells, (self.high << cells) | (self.low >> (WORD - cells)))

    def down(self, cells: chex.Array) -> "Bitboard":
        """Returns every cell moved down by a number of cells, 1 to 31."""
        return Bitboard((self.low >> cells) | (self.high << (WORD - cells)), self.high >> cells)

    def where(self, condition: chex.Array) -> "Bitboard":
        """Returns the sets for which the condition holds, empty ones for the others."""
        return Bitboard(*(jnp.where(condition, word, jnp.uint32(0)) for word in self))

    def any(self) -> chex.Array:
        """Tells whether there is a cell in the set."""
        return (self.low | self.high) != 0

    def count(self) -> chex.Array:
        """Returns int32: how many cells there are."""
        low, high = (jax.lax.population_count(word).astype(jnp.int32) for word in self)
        return low + high

    def union(self) -> "Bitboard":
        """Returns the union of the sets along the only axis."""
        return Bitboard(*(jnp.bitwise_or.reduce(word, axis=0) for word in self))
