"""The 3x3 convolution by Winograd's F(m x n, 3x3): Lavin & Gray 2015, arXiv:1509.09308.

For each tile of m x n outputs, with d the patch of (m + 2) x (n + 2) inputs under it and g the
kernel,

    output = A^T [(G g G^T) * (B^T d B)] A

where * multiplies element by element. Summed over input channels, each element is a matrix product
over all tiles of all boards. A, B and G have a size of their own for rows and for columns, chosen
so that the tiles of a board take the fewest products: 120 on 6x7 cells, where the definition has
378.

Boards are taken a chunk at a time, so that the transformed copies stay in a core's cache. There,
cells come first and boards last, `[H, W, B, C]`: whatever is done to tiles is done to long rows.
"""

import functools
import math
from collections.abc import Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp

from azjax.networks.chunks import map_chunks, sum_chunks
from azjax.networks.kernels import turn
from azjax.networks.mesh import vary_alike
from azjax.networks.toom_cook import Matrix, Transforms, fewest_products, num_tiles, transforms

_CHUNK = 2**16  # numbers in the transformed copy of a chunk, 256 kB


def winograd(inputs: jax.Array, kernel: jax.Array) -> jax.Array:
    """Convolves `[B, H, W, C_in]` with `[C_in, 3, 3, C_out]`, zeros around the board.

    Differentiable in reverse mode only.

    Returns:
      `[B, H, W, C_out]`.
    """
    return _winograd(*vary_alike(inputs, kernel))


@jax.custom_vjp
def _winograd(inputs: jax.Array, kernel: jax.Array) -> jax.Array:
    tiling = _Tiling.of(inputs)
    transformed = _transform_kernel(tiling, kernel)

    def convolve(boards: jax.Array) -> jax.Array:
        return _outputs(tiling, jnp.matmul(_transform_inputs(tiling, boards), transformed), boards)

    return map_chunks(convolve, inputs, _chunk(tiling, kernel))


def _forward(inputs: jax.Array, kernel: jax.Array) -> tuple[jax.Array, tuple[jax.Array, jax.Array]]:
    return _winograd(inputs, kernel), (inputs, kernel)


def _backward(
    saved: tuple[jax.Array, jax.Array], gradient: jax.Array
) -> tuple[jax.Array, jax.Array]:
    inputs, kernel = saved
    return _winograd(gradient, turn(kernel)), _kernel_gradient(inputs, gradient, kernel)


_winograd.defvjp(_forward, _backward)


def _kernel_gradient(inputs: jax.Array, gradient: jax.Array, kernel: jax.Array) -> jax.Array:
    """Returns the kernel's gradient `[C_in, 3, 3, C_out]`, summed over all boards."""
    tiling = _Tiling.of(inputs)

    def of_elements(boards: tuple[jax.Array, jax.Array]) -> jax.Array:
        inputs, gradient = boards
        tiles = _transform_inputs(tiling, inputs).swapaxes(1, 2)
        return jnp.matmul(tiles, _transform_gradient(tiling, gradient))

    sums = sum_chunks(of_elements, (inputs, gradient), _chunk(tiling, kernel))
    return _gather_kernel(tiling, sums)


class _Side(NamedTuple):
    """One side of the boards, in tiles of m outputs that lie over m + 2 inputs each."""

    cells: int
    m: int
    tiles: int

    @property
    def beyond(self) -> int:
        """How many cells the last tile reaches beyond the board."""
        return self.m * self.tiles - self.cells

    @property
    def transforms(self) -> Transforms:
        """The matrices for a tile."""
        return transforms(self.m)

    def places(self, cells: jax.Array, axis: int, count: int) -> list[jax.Array]:
        """Returns, for each of the first places of a tile, what lies there in all tiles."""
        span = self.m * (self.tiles - 1) + 1
        return [jax.lax.slice_in_dim(cells, k, k + span, self.m, axis) for k in range(count)]


class _Tiling(NamedTuple):
    """Both sides. A tile and a kernel, transformed, have E = (m + 2) x (n + 2) elements."""

    rows: _Side
    columns: _Side

    @classmethod
    def of(cls, boards: jax.Array) -> "_Tiling":
        """Returns the tiling of `[B, H, W, C]`."""
        sizes = [(cells, fewest_products(cells)) for cells in boards.shape[1:3]]
        return cls(*(_Side(cells, m, num_tiles(cells, m)) for cells, m in sizes))

    @property
    def products(self) -> int:
        """How many products of matrices a board takes."""
        return math.prod((side.m + 2) * side.tiles for side in self)


def _chunk(tiling: _Tiling, kernel: jax.Array) -> int:
    """Returns how many boards to take at a time: a power of two, as batches are."""
    channels = max(kernel.shape[0], kernel.shape[-1])
    boards = max(1, _CHUNK // (tiling.products * channels))
    return 2 ** int(math.log2(boards))


def _transform_inputs(tiling: _Tiling, boards: jax.Array) -> jax.Array:
    """Returns `[E, tiles, C]`: B^T d B for every tile's patch d."""
    rows, columns = tiling
    padded = _cells_first(boards, (1, 1 + rows.beyond), (1, 1 + columns.beyond))
    lines = _combine(rows.transforms.inputs, rows.places(padded, 0, rows.m + 2), axis=0)
    places = columns.places(_apart(lines), 2, columns.m + 2)
    return _merge(_combine(columns.transforms.inputs, places, axis=1))


def _transform_gradient(tiling: _Tiling, boards: jax.Array) -> jax.Array:
    """Returns `[E, tiles, C]`: A d A^T for every tile d of the outputs' gradient."""
    rows, columns = tiling
    padded = _cells_first(boards, (0, rows.beyond), (0, columns.beyond))
    lines = _combine(_transposed(rows.transforms.outputs), rows.places(padded, 0, rows.m), axis=0)
    places = columns.places(_apart(lines), 2, columns.m)
    return _merge(_combine(_transposed(columns.transforms.outputs), places, axis=1))


def _outputs(tiling: _Tiling, products: jax.Array, like: jax.Array) -> jax.Array:
    """Returns boards `[B, H, W, C]`: A^T p A for every tile's products p `[E, tiles, C]`."""
    rows, columns = tiling
    elements = products.reshape(
        rows.m + 2, columns.m + 2, rows.tiles, columns.tiles, len(like), products.shape[-1]
    )
    lines = _apart(_combine(rows.transforms.outputs, list(elements), axis=0))
    cells = _combine(columns.transforms.outputs, list(jnp.moveaxis(lines, 1, 0)), axis=3)
    boards = cells.transpose(4, 1, 0, 2, 3, 5)  # from [m, tile rows, tile columns, n, B, C]
    boards = boards.reshape(len(like), rows.m * rows.tiles, columns.m * columns.tiles, -1)
    return boards[:, : rows.cells, : columns.cells]


def _transform_kernel(tiling: _Tiling, kernel: jax.Array) -> jax.Array:
    """Returns `[E, C_in, C_out]`: G g G^T."""
    rows, columns = tiling
    lines = _combine(rows.transforms.kernel, list(jnp.moveaxis(kernel, 1, 0)), axis=0)
    elements = _combine(columns.transforms.kernel, list(jnp.moveaxis(lines, 2, 0)), axis=1)
    return elements.reshape(-1, *elements.shape[2:])


def _gather_kernel(tiling: _Tiling, elements: jax.Array) -> jax.Array:
    """Returns `[C_in, 3, 3, C_out]`: G^T e G for elements `[E, C_in, C_out]`."""
    rows, columns = tiling
    elements = elements.reshape(rows.m + 2, columns.m + 2, *elements.shape[1:])
    lines = _combine(_transposed(rows.transforms.kernel), list(elements), axis=2)
    return _combine(_transposed(columns.transforms.kernel), list(lines), axis=2)


def _cells_first(
    boards: jax.Array, above_and_below: tuple[int, int], left_and_right: tuple[int, int]
) -> jax.Array:
    """Returns `[H, W, B, C]`, with zeros around the boards."""
    return jnp.pad(boards.transpose(1, 2, 0, 3), (above_and_below, left_and_right, (0, 0), (0, 0)))


def _merge(elements: jax.Array) -> jax.Array:
    """Returns `[E, tiles, C]` from `[m + 2, n + 2, tile rows, tile columns, B, C]`."""
    height, width, *_, channels = elements.shape
    return elements.reshape(height * width, -1, channels)


def _transposed(matrix: Matrix) -> Matrix:
    return tuple(zip(*matrix, strict=True))


def _combine(matrix: Matrix, terms: Sequence[jax.Array], axis: int) -> jax.Array:
    """Returns the product of the matrix and the column of terms, stacked along an axis."""
    return jnp.stack([_weighted_sum(row, terms) for row in matrix], axis)


def _weighted_sum(weights: Sequence[float], terms: Sequence[jax.Array]) -> jax.Array:
    pairs = [(w, term) for w, term in zip(weights, terms, strict=True) if w]
    return functools.reduce(jnp.add, [term if w == 1 else w * term for w, term in pairs])


def _apart(array: jax.Array) -> jax.Array:
    """Returns the array, kept from XLA's fusing: each of its elements would be made many times."""
    return jax.lax.optimization_barrier(array)
