"""The tiles of a board in Winograd's convolution."""

import math
from typing import NamedTuple

import jax

from azjax.networks.ops.winograd_transforms import MAX_OUTPUTS, Transforms, make_transforms


class Side(NamedTuple):
    """One side of a board, cut into tiles of m outputs. A tile reads m + 2 inputs."""

    cells: int
    m: int
    tiles: int

    @classmethod
    def of(cls, cells: int) -> "Side":
        """Returns the tiling with the fewest products; on a tie the smallest m, the most exact."""
        sides = [cls(cells, m, math.ceil(cells / m)) for m in range(1, MAX_OUTPUTS + 1)]
        return min(sides, key=lambda side: side.elements)

    @property
    def elements(self) -> int:
        """The number of elements of all transformed tiles; each takes one product."""
        return self.tiles * (self.m + 2)

    @property
    def padding(self) -> int:
        """The number of cells of the last tile that are off the board."""
        return self.m * self.tiles - self.cells

    @property
    def transforms(self) -> Transforms:
        """The transform matrices of a tile."""
        return make_transforms(self.m)

    def tile_slices(self, array: jax.Array, axis: int, count: int) -> list[jax.Array]:
        """Returns for each offset k < count in a tile the cells at offset k of all tiles."""
        span = self.m * (self.tiles - 1) + 1
        return [jax.lax.slice_in_dim(array, k, k + span, self.m, axis) for k in range(count)]


class Tiling(NamedTuple):
    """Both sides of a board. A tile of m x n outputs has (m + 2) x (n + 2) elements."""

    rows: Side
    columns: Side

    @classmethod
    def of(cls, boards: jax.Array) -> "Tiling":
        """Returns the tiling of boards `[B, H, W, C]`."""
        return cls(*(Side.of(cells) for cells in boards.shape[1:3]))

    @property
    def tiles(self) -> int:
        """The number of tiles of a board."""
        return self.rows.tiles * self.columns.tiles

    @property
    def elements(self) -> int:
        """The number of elements of all tiles of a board."""
        return self.rows.elements * self.columns.elements
