"""The 3x3 convolution by Winograd's F(m x n, 3x3): Lavin & Gray 2015, arXiv:1509.09308.

For each tile of m x n outputs, with d its input patch of (m + 2) x (n + 2) cells and g the kernel,

    output = A^T [(G g G^T) * (B^T d B)] A

where * multiplies element by element. Summed over input channels, each element is a matrix product
over all tiles of all boards. A, B and G are chosen separately for rows and for columns, so that a
board takes the fewest products: 120 on 6x7 cells, where the definition takes 378.

Boards are processed in chunks, so that the transformed copy of a chunk stays in a core's cache. In
a chunk the board axes come first, `[H, W, B, C]`: the transforms then work on long contiguous rows.

Shapes: T tiles a board, E elements a tile.

The matrices are by the method of Toom and Cook. The product of two polynomials with m and with 3
coefficients is determined by its values at m + 1 points and its leading coefficient (its value at
infinity): m + 2 multiplications. A correlation with m outputs is the transpose of this product: it
interpolates the inputs, and evaluates powers of the points for the outputs. It takes m + 2
multiplications too, where the definition takes 3 m.
"""

import functools
import math
from collections.abc import Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.polynomial.polynomial import polyfromroots

from azjax.networks.ops.chunks import map_chunks, sum_chunks
from azjax.networks.ops.gradients import transpose_kernel, vary_alike, with_gradients

_CHUNK_SIZE = 2**16  # numbers in the transformed copy of a chunk: 256 kB
# In float32 the error is 6e-6 of the outputs' standard deviation, or 5e-7 with two points. Other
# points than 2 and -2 halve it (Barabasz et al. 2018, arXiv:1803.10986) but take more additions.
_POINTS = (0.0, 1.0, -1.0, 2.0, -2.0)
_MAX_OUTPUTS = len(_POINTS) - 1


class Transforms(NamedTuple):
    """`outputs @ ((kernel @ g) * (inputs @ d))` is the correlation of d[m + 2] with g[3].

    The fields are A^T, G and B^T of the paper.
    """

    outputs: np.ndarray  # [m, m + 2]
    kernel: np.ndarray  # [m + 2, 3]
    inputs: np.ndarray  # [m + 2, m + 2]


@functools.cache
def make_transforms(m: int) -> Transforms:
    """Returns the matrices for tiles of m outputs, 1 to `_MAX_OUTPUTS`."""
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
        sides = [cls(cells, m, math.ceil(cells / m)) for m in range(1, _MAX_OUTPUTS + 1)]
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


def winograd(inputs: jax.Array, kernel: jax.Array) -> jax.Array:
    """Convolves `[B, H, W, C_in]` with `[C_in, 3, 3, C_out]`, with zero padding of one cell.

    Both are float32; bfloat16 is too imprecise for the transforms. Differentiable in reverse mode
    only.

    Returns:
      `[B, H, W, C_out]`.
    """
    return _winograd(*vary_alike(inputs, kernel))


def _backward(
    inputs: jax.Array, kernel: jax.Array, outputs_grad: jax.Array
) -> tuple[jax.Array, jax.Array]:
    inputs_grad = _winograd(outputs_grad, transpose_kernel(kernel))
    return inputs_grad, _kernel_gradient(inputs, outputs_grad)


@with_gradients(_backward)
def _winograd(inputs: jax.Array, kernel: jax.Array) -> jax.Array:
    tiling = Tiling.of(inputs)
    transformed = _transform_kernel(tiling, kernel)

    def convolve(boards: jax.Array) -> jax.Array:
        products = jnp.matmul(_transform_inputs(tiling, boards), transformed)
        return _transform_outputs(tiling, products, len(boards))

    channels = max(kernel.shape[0], kernel.shape[-1])
    return map_chunks(convolve, inputs, _boards_per_chunk(tiling, channels, channels // 4))


def _kernel_gradient(inputs: jax.Array, outputs_grad: jax.Array) -> jax.Array:
    """Returns the kernel's gradient `[C_in, 3, 3, C_out]`, summed over all boards."""
    tiling = Tiling.of(inputs)

    def sum_elements(boards: tuple[jax.Array, jax.Array]) -> jax.Array:
        inputs, outputs_grad = boards
        tiles = _transform_inputs(tiling, inputs).swapaxes(1, 2)
        return jnp.matmul(tiles, _transform_outputs_gradient(tiling, outputs_grad))

    channels = max(inputs.shape[-1], outputs_grad.shape[-1])
    chunk_size = _boards_per_chunk(tiling, channels, channels)
    elements = sum_chunks(sum_elements, (inputs, outputs_grad), chunk_size)
    return _transform_kernel_gradient(tiling, elements)


def _boards_per_chunk(tiling: Tiling, channels: int, min_rows: int) -> int:
    """Returns how many boards a chunk has: a power of two, as batches are.

    Their transformed copy fits into the cache. But the products have at least `min_rows` rows: with
    fewer, most of the time goes into reading and writing kernels.
    """
    fitting = _CHUNK_SIZE // (tiling.elements * channels)
    boards = max(1, fitting, min_rows // tiling.tiles)
    return 2 ** int(math.log2(boards))


def _transform_inputs(tiling: Tiling, boards: jax.Array) -> jax.Array:
    """Returns `[E, T B, C]`: B^T d B for the input patch d of each tile."""
    padding = [(1, 1 + side.padding) for side in tiling]
    matrices = [make_transforms(side.m).inputs for side in tiling]
    return _transform(tiling, boards, padding, matrices)


def _transform_outputs_gradient(tiling: Tiling, boards: jax.Array) -> jax.Array:
    """Returns `[E, T B, C]`: A d A^T for each tile d of the outputs' gradient."""
    padding = [(0, side.padding) for side in tiling]
    matrices = [make_transforms(side.m).outputs.T for side in tiling]
    return _transform(tiling, boards, padding, matrices)


def _transform(
    tiling: Tiling,
    boards: jax.Array,
    padding: Sequence[tuple[int, int]],
    matrices: Sequence[np.ndarray],
) -> jax.Array:
    """Returns `[E, T B, C]`: M d N^T for each tile d of the padded boards, with matrices M, N."""
    (rows, columns), (row_matrix, column_matrix) = tiling, matrices
    cells = jnp.pad(boards.transpose(1, 2, 0, 3), (*padding, (0, 0), (0, 0)))
    row_slices = rows.tile_slices(cells, 0, row_matrix.shape[1])
    partial = _fusion_barrier(_combine(row_matrix, row_slices, axis=0))
    column_slices = columns.tile_slices(partial, 2, column_matrix.shape[1])
    elements = _combine(column_matrix, column_slices, axis=1)
    # from [m + 2, n + 2, tile rows, tile columns, B, C]
    return elements.reshape(len(row_matrix) * len(column_matrix), -1, boards.shape[-1])


def _transform_outputs(tiling: Tiling, products: jax.Array, batch: int) -> jax.Array:
    """Returns boards `[B, H, W, C]`: A^T p A for the products p, `[E, T B, C]`, of each tile."""
    rows, columns = tiling
    elements = products.reshape(
        rows.m + 2, columns.m + 2, rows.tiles, columns.tiles, batch, products.shape[-1]
    )
    partial = _fusion_barrier(
        _combine(make_transforms(rows.m).outputs, jnp.unstack(elements), axis=0)
    )
    cells = _combine(make_transforms(columns.m).outputs, jnp.unstack(partial, axis=1), axis=3)
    boards = cells.transpose(4, 1, 0, 2, 3, 5)  # from [m, tile rows, tile columns, n, B, C]
    boards = boards.reshape(batch, rows.m * rows.tiles, columns.m * columns.tiles, -1)
    return boards[:, : rows.cells, : columns.cells]


def _transform_kernel(tiling: Tiling, kernel: jax.Array) -> jax.Array:
    """Returns `[E, C_in, C_out]`: G g G^T for the kernel g, `[C_in, 3, 3, C_out]`."""
    windows = kernel.reshape(len(kernel), 9, -1)
    return jnp.einsum("ew,iwo->eio", _kernel_matrix(tiling), windows)


def _transform_kernel_gradient(tiling: Tiling, elements: jax.Array) -> jax.Array:
    """Returns `[C_in, 3, 3, C_out]`: G^T e G for the gradient e, `[E, C_in, C_out]`."""
    windows = jnp.einsum("ew,eio->iwo", _kernel_matrix(tiling), elements)
    return windows.reshape(len(windows), 3, 3, -1)


def _kernel_matrix(tiling: Tiling) -> np.ndarray:
    """Returns `[E, 9]`: the Kronecker product of G for rows and G for columns."""
    return np.kron(*(make_transforms(side.m).kernel for side in tiling)).astype(np.float32)


def _combine(matrix: np.ndarray, terms: Sequence[jax.Array], axis: int) -> jax.Array:
    """Returns the product of the matrix with the vector of terms, stacked along the axis."""
    return jnp.stack([_weighted_sum(row, terms) for row in matrix], axis)


def _weighted_sum(weights: np.ndarray, terms: Sequence[jax.Array]) -> jax.Array:
    pairs = [(w, term) for w, term in zip(weights.tolist(), terms, strict=True) if w]
    return functools.reduce(jnp.add, [term if w == 1 else w * term for w, term in pairs])


def _fusion_barrier(array: jax.Array) -> jax.Array:
    """Keeps XLA from fusing the array into each of its consumers, which would recompute it."""
    return jax.lax.optimization_barrier(array)
