"""The 3x3 convolution by Winograd's F(m x n, 3x3): Lavin & Gray 2015, arXiv:1509.09308.

For each tile of m x n outputs, with d the patch of (m + 2) x (n + 2) inputs under it and g the
kernel,

    output = A^T [(G g G^T) * (B^T d B)] A

where * multiplies element by element. Summed over input channels, each element is a matrix product
over all tiles of all boards. A, B and G have a size of their own for rows and for columns, chosen
so that a board takes the fewest products: 120 on 6x7 cells, where the definition has 378.

Boards are taken a chunk at a time, so that their transformed copy stays in a core's cache. There,
cells come first, then boards, `[H, W, B, C]`: whatever is done to tiles is done to long rows.
"""

import functools
import math
from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np

from azjax.networks.ops.chunks import map_chunks, sum_chunks
from azjax.networks.ops.kernels import transpose_kernel
from azjax.networks.ops.mesh import vary_alike
from azjax.networks.ops.tiling import Tiling

_CHUNK_SIZE = 2**16  # numbers in the transformed copy of a chunk, 256 kB


def winograd(inputs: jax.Array, kernel: jax.Array) -> jax.Array:
    """Convolves `[B, H, W, C_in]` with `[C_in, 3, 3, C_out]`, zeros around the board.

    Both are float32: bfloat16 has too few digits for the transforms. Differentiable in reverse mode
    only.

    Returns:
      `[B, H, W, C_out]`.
    """
    return _winograd(*vary_alike(inputs, kernel))


@jax.custom_vjp
def _winograd(inputs: jax.Array, kernel: jax.Array) -> jax.Array:
    tiling = Tiling.of(inputs)
    transformed = _transform_kernel(tiling, kernel)

    def convolve(boards: jax.Array) -> jax.Array:
        products = jnp.matmul(_transform_inputs(tiling, boards), transformed)
        return _outputs(tiling, products, len(boards))

    channels = max(kernel.shape[0], kernel.shape[-1])
    return map_chunks(convolve, inputs, _chunk(tiling, channels, least_rows=channels // 4))


def _forward(inputs: jax.Array, kernel: jax.Array) -> tuple[jax.Array, tuple[jax.Array, jax.Array]]:
    return _winograd(inputs, kernel), (inputs, kernel)


def _backward(
    saved: tuple[jax.Array, jax.Array], gradient: jax.Array
) -> tuple[jax.Array, jax.Array]:
    inputs, kernel = saved
    return _winograd(gradient, transpose_kernel(kernel)), _kernel_gradient(inputs, gradient)


_winograd.defvjp(_forward, _backward)


def _kernel_gradient(inputs: jax.Array, gradient: jax.Array) -> jax.Array:
    """Returns the kernel's gradient `[C_in, 3, 3, C_out]`, summed over all boards."""
    tiling = Tiling.of(inputs)

    def of_elements(boards: tuple[jax.Array, jax.Array]) -> jax.Array:
        inputs, gradient = boards
        tiles = _transform_inputs(tiling, inputs).swapaxes(1, 2)
        return jnp.matmul(tiles, _transform_gradient(tiling, gradient))

    channels = max(inputs.shape[-1], gradient.shape[-1])
    size = _chunk(tiling, channels, least_rows=channels)
    return _gather_kernel(tiling, sum_chunks(of_elements, (inputs, gradient), size))


def _chunk(tiling: Tiling, channels: int, least_rows: int) -> int:
    """Returns how many boards to take at a time: a power of two, as batches are.

    They fit into the cache, unless the products had so few rows that it would be the kernels that
    have to be read and written all the time.
    """
    fitting = _CHUNK_SIZE // (tiling.elements * channels)
    boards = max(1, fitting, least_rows // tiling.tiles)
    return 2 ** int(math.log2(boards))


def _transform_inputs(tiling: Tiling, boards: jax.Array) -> jax.Array:
    """Returns `[E, T B, C]`: B^T d B for every tile's patch d."""
    padding = [(1, 1 + side.padding) for side in tiling]
    matrices = [side.transforms.inputs for side in tiling]
    return _transform(tiling, boards, padding, matrices)


def _transform_gradient(tiling: Tiling, boards: jax.Array) -> jax.Array:
    """Returns `[E, T B, C]`: A d A^T for every tile d of the outputs' gradient."""
    padding = [(0, side.padding) for side in tiling]
    matrices = [side.transforms.outputs.T for side in tiling]
    return _transform(tiling, boards, padding, matrices)


def _transform(
    tiling: Tiling,
    boards: jax.Array,
    padding: Sequence[tuple[int, int]],
    matrices: Sequence[np.ndarray],
) -> jax.Array:
    """Returns `[E, T B, C]`: the rows of every tile times one matrix, the columns times another."""
    (rows, columns), (of_rows, of_columns) = tiling, matrices
    cells = jnp.pad(boards.transpose(1, 2, 0, 3), (*padding, (0, 0), (0, 0)))
    lines = _fusion_barrier(
        _combine(of_rows, rows.tile_offsets(cells, 0, of_rows.shape[1]), axis=0)
    )
    elements = _combine(of_columns, columns.tile_offsets(lines, 2, of_columns.shape[1]), axis=1)
    # from [m + 2, n + 2, tile rows, tile columns, B, C]
    return elements.reshape(len(of_rows) * len(of_columns), -1, boards.shape[-1])


def _outputs(tiling: Tiling, products: jax.Array, batch: int) -> jax.Array:
    """Returns boards `[B, H, W, C]`: A^T p A for every tile's products p `[E, T B, C]`."""
    rows, columns = tiling
    elements = products.reshape(
        rows.m + 2, columns.m + 2, rows.tiles, columns.tiles, batch, products.shape[-1]
    )
    lines = _fusion_barrier(_combine(rows.transforms.outputs, jnp.unstack(elements), axis=0))
    cells = _combine(columns.transforms.outputs, jnp.unstack(lines, axis=1), axis=3)
    boards = cells.transpose(4, 1, 0, 2, 3, 5)  # from [m, tile rows, tile columns, n, B, C]
    boards = boards.reshape(batch, rows.m * rows.tiles, columns.m * columns.tiles, -1)
    return boards[:, : rows.cells, : columns.cells]


def _transform_kernel(tiling: Tiling, kernel: jax.Array) -> jax.Array:
    """Returns `[E, C_in, C_out]`: G g G^T."""
    windows = kernel.reshape(len(kernel), 9, -1)
    return jnp.einsum("ew,iwo->eio", _kernel_transform(tiling), windows)


def _gather_kernel(tiling: Tiling, elements: jax.Array) -> jax.Array:
    """Returns `[C_in, 3, 3, C_out]`: G^T e G for elements `[E, C_in, C_out]`."""
    windows = jnp.einsum("ew,eio->iwo", _kernel_transform(tiling), elements)
    return windows.reshape(len(windows), 3, 3, -1)


def _kernel_transform(tiling: Tiling) -> np.ndarray:
    """Returns `[E, 9]`: both sides' G as one, from a kernel's window to a tile's elements."""
    return np.kron(*(side.transforms.kernel for side in tiling)).astype(np.float32)


def _combine(matrix: np.ndarray, terms: Sequence[jax.Array], axis: int) -> jax.Array:
    """Returns the product of the matrix and the column of terms, stacked along an axis."""
    return jnp.stack([_weighted_sum(row, terms) for row in matrix], axis)


def _weighted_sum(weights: np.ndarray, terms: Sequence[jax.Array]) -> jax.Array:
    pairs = [(w, term) for w, term in zip(weights.tolist(), terms, strict=True) if w]
    return functools.reduce(jnp.add, [term if w == 1 else w * term for w, term in pairs])


def _fusion_barrier(array: jax.Array) -> jax.Array:
    """Keeps XLA from fusing the array into its readers, which would each compute it again."""
    return jax.lax.optimization_barrier(array)
