"""The tiles of a board in Winograd's convolution, and the matrices that transform them.

The matrices are by the method of Toom and Cook. The product of two polynomials with m and with 3
coefficients is determined by its values at m + 1 points and its leading coefficient (its value at
infinity): m + 2 multiplications. A correlation with m outputs is the transpose of this product: it
interpolates the inputs, and evaluates powers of the points for the outputs. It takes m + 2
multiplications too, where the definition takes 3 m. Lavin & Gray 2015, arXiv:1509.09308.
"""

import functools
import math
from typing import NamedTuple

import jax
import numpy as np
from numpy.polynomial.polynomial import polyfromroots

# In float32 the error is 6e-6 of the outputs' standard deviation, or 5e-7 with two points. Other
# points than 2 and -2 halve it (Barabasz et al. 2018, arXiv:1803.10986) but take more additions.
_POINTS = (0.0, 1.0, -1.0, 2.0, -2.0)
MAX_OUTPUTS = len(_POINTS) - 1


class Transforms(NamedTuple):
    """`outputs @ ((kernel @ g) * (inputs @ d))` is the correlation of d[m + 2] with g[3].

    The fields are A^T, G and B^T of the paper.
    """

    outputs: np.ndarray  # [m, m + 2]
    kernel: np.ndarray  # [m + 2, 3]
    inputs: np.ndarray  # [m + 2, m + 2]


@functools.cache
def make_transforms(m: int) -> Transforms:
    """Returns the matrices for tiles of m outputs, 1 to `MAX_OUTPUTS`."""
    points = np.array(_POINTS[: m + 1])
    others = [np.delete(points, k) for k in range(m + 1)]
    scales = [[np.prod(p - rest)] for p, rest in zip(points, others, strict=True)]
    interpolation = [np.append(polyfromroots(rest), 0) for rest in others]
    return Transforms(
        outputs=np.column_stack([np.vander(points, m, increasing=True).T, np.eye(m)[-1]]),
        kernel=np.vstack([np.vander(points, 3, increasing=True) / scales, np.eye(3)[-1]]),
        inputs=np.vstack([*interpolation, polyfromroots(points)]),
    )


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
