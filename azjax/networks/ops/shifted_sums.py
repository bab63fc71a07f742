"""The 3x3 convolution as one matrix product and a sum of nine shifted slices.

Each cell is multiplied with all nine matrices of the kernel in one product. An output is the sum of
nine of these products, each taken from a different neighbour. Inputs are never copied: where a
processor has units for bfloat16 products, copying costs more than multiplying. The cells of all
boards form one array `[cells, C]`, each board padded by a row and a column of zeros, so a
neighbour is at the same offset from every cell.
"""

import jax
import jax.numpy as jnp

from azjax.networks.ops.bfloat16_bits import from_bits, to_bits
from azjax.networks.ops.chunks import map_chunks, sum_chunks
from azjax.networks.ops.gradients import transpose_kernel, vary_alike
from azjax.networks.ops.matmul import sum_in_float32

_CHUNK_SIZE, _GRADIENT_CHUNK_SIZE = 8, 32  # boards


def shifted_sums(inputs: jax.Array, kernel: jax.Array) -> jax.Array:
    """Convolves `[B, H, W, C_in]` with `[C_in, 3, 3, C_out]`, with zero padding of one cell.

    Differentiable in reverse mode only. The outputs' gradient is rounded to the dtype of the
    inputs, so the backward pass multiplies as fast as the forward pass.

    Returns:
      `[B, H, W, C_out]` float32.
    """
    return _shifted_sums(*vary_alike(inputs, kernel))


@jax.custom_vjp
def _shifted_sums(inputs: jax.Array, kernel: jax.Array) -> jax.Array:
    matrices = kernel.reshape(len(kernel), -1).astype(inputs.dtype)  # [C_in, 9 C_out]

    def convolve(boards: jax.Array) -> jax.Array:
        products = sum_in_float32(_pad_ends(_flatten(boards), _reach(boards)), matrices)
        products = products.reshape(len(products), 9, -1)
        shifted = (_shift(products[:, k], boards.shape, k) for k in range(9))
        return _unflatten(jnp.asarray(sum(shifted)), boards.shape)

    return map_chunks(convolve, inputs, _CHUNK_SIZE)


def _forward(
    inputs: jax.Array, kernel: jax.Array
) -> tuple[jax.Array, tuple[jax.Array, jax.Array, jax.Array]]:
    return _shifted_sums(inputs, kernel), (to_bits(inputs), kernel, inputs[:0])


def _backward(
    residuals: tuple[jax.Array, jax.Array, jax.Array], outputs_grad: jax.Array
) -> tuple[jax.Array, jax.Array]:
    bits, kernel, dtype_like = residuals
    inputs = from_bits(bits, like=dtype_like)
    outputs_grad = outputs_grad.astype(inputs.dtype)
    inputs_grad = _shifted_sums(outputs_grad, transpose_kernel(kernel)).astype(inputs.dtype)
    return inputs_grad, sum_chunks(_kernel_gradient, (inputs, outputs_grad), _GRADIENT_CHUNK_SIZE)


_shifted_sums.defvjp(_forward, _backward)


def _kernel_gradient(boards: tuple[jax.Array, jax.Array]) -> jax.Array:
    """Returns `[C_in, 3, 3, C_out]`: the gradient summed over all boards.

    One product multiplies three copies of the inputs, shifted by rows, with three of the outputs'
    gradient, shifted by columns. It holds all nine sums, and copies a third of what nine shifts of
    either would.
    """
    inputs, outputs_grad = boards
    outputs = _flatten(outputs_grad)
    num_cells, row_stride = len(outputs) + 2, inputs.shape[2] + 1
    cells = to_bits(_transpose(_pad_ends(_flatten(inputs), _reach(inputs))))
    row_shifts = [cells[:, k * row_stride :][:, :num_cells] for k in range(3)]
    outputs = to_bits(_pad_ends(outputs, 2))
    column_shifts = [outputs[2 - k :][:num_cells] for k in range(3)]
    products = sum_in_float32(
        from_bits(jnp.concatenate(row_shifts, axis=0), like=inputs),
        from_bits(jnp.concatenate(column_shifts, axis=1), like=inputs),
    )
    return products.reshape(3, inputs.shape[-1], 3, -1).swapaxes(0, 1)


def _flatten(boards: jax.Array) -> jax.Array:
    """Returns `[cells, C]`: the cells of all boards, each padded by a row and a column of zeros."""
    return _pad(boards, ((0, 0), (0, 1), (0, 1), (0, 0))).reshape(-1, boards.shape[-1])


def _unflatten(cells: jax.Array, shape: tuple[int, ...]) -> jax.Array:
    """Inverts `_flatten`: returns boards `[B, H, W, C]` of the shape, without their padding."""
    batch, height, width, _ = shape
    return cells.reshape(batch, height + 1, width + 1, -1)[:, :height, :width]


def _reach(boards: jax.Array) -> int:
    """Returns the largest offset of a neighbour among the cells of flattened boards."""
    return boards.shape[2] + 2


def _pad_ends(cells: jax.Array, width: int) -> jax.Array:
    """Pads `[cells, C]` by a number of zero cells at either end."""
    return _pad(cells, ((width, width), (0, 0)))


def _shift(cells: jax.Array, shape: tuple[int, ...], k: int) -> jax.Array:
    """Returns for each cell of flattened boards the cell at element k of its 3x3 patch.

    Element k is `3 * row + column`; the cells are padded at both ends by `_reach`.
    """
    batch, height, width, _ = shape
    begin = (width + 1) * (k // 3) + k % 3
    return cells[begin : begin + batch * (height + 1) * (width + 1)]


def _transpose(cells: jax.Array) -> jax.Array:
    """Returns `[C, cells]`, by a product with the identity: exact, and faster than a copy."""
    identity = jnp.eye(cells.shape[-1], dtype=cells.dtype)
    columns = jax.lax.dot_general(
        identity, cells, (((1,), (1,)), ((), ())), preferred_element_type=jnp.float32
    )
    return columns.astype(cells.dtype)


def _pad(array: jax.Array, widths: tuple[tuple[int, int], ...]) -> jax.Array:
    return from_bits(jnp.pad(to_bits(array), widths), like=array)
