"""Boards cut into the tiles of Winograd's convolution."""

import math
from typing import NamedTuple

import jax

from azjax.networks.ops.winograd_transforms import MOST_OUTPUTS, Transforms, transforms


class Side(NamedTuple):
    """One side of a board, in tiles of m outputs that lie over m + 2 inputs each."""

    cells: int
    m: int
    tiles: int

    @classmethod
    def of(cls, cells: int) -> "Side":
        """Returns the tiles that take the fewest products; of equals the smallest, most exact."""
        sides = [cls(cells, m, math.ceil(cells / m)) for m in range(1, MOST_OUTPUTS + 1)]
        return min(sides, key=lambda side: side.elements)

    @property
    def elements(self) -> int:
        """How many elements the tiles have once they are transformed: one product each."""
        return self.tiles * (self.m + 2)

    @property
    def padding(self) -> int:
        """How many cells the last tile reaches beyond the board."""
        return self.m * self.tiles - self.cells

    @property
    def transforms(self) -> Transforms:
        """The matrices for a tile."""
        return transforms(self.m)

    def tile_offsets(self, array: jax.Array, axis: int, count: int) -> list[jax.Array]:
        """Returns, for each of the first `count` places in a tile, the cells there of all tiles."""
        span = self.m * (self.tiles - 1) + 1
        return [jax.lax.slice_in_dim(array, k, k + span, self.m, axis) for k in range(count)]


class Tiling(NamedTuple):
    """Both sides of a board. A tile of m x n outputs has E = (m + 2) x (n + 2) elements."""

    rows: Side
    columns: Side

    @classmethod
    def of(cls, boards: jax.Array) -> "Tiling":
        """Returns the tiling of boards `[B, H, W, C]`."""
        return cls(*(Side.of(cells) for cells in boards.shape[1:3]))

    @property
    def tiles(self) -> int:
        """How many tiles a board has, T."""
        return self.rows.tiles * self.columns.tiles

    @property
    def elements(self) -> int:
        """How many elements all of a board's tiles have."""
        return self.rows.elements * self.columns.elements
