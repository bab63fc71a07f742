"""The 3x3 convolution as one matrix product and nine shifted sums.

Every cell is multiplied with all nine matrices of the kernel at once, and each output is the sum of
what its nine neighbours have for it. No input is ever copied, which is dearer than multiplying
where a processor has units for products of bfloat16. The boards lie one after another in a long row
of cells, with a row and a column of zeros after each, so that a shift is the same for all cells.
"""

import jax
import jax.numpy as jnp

from azjax.networks.ops.bfloat16_bits import from_bits, to_bits
from azjax.networks.ops.chunks import map_chunks, sum_chunks
from azjax.networks.ops.kernels import transpose_kernel
from azjax.networks.ops.matmul import sum_in_float32
from azjax.networks.ops.mesh import vary_alike

_CHUNK, _GRADIENT_CHUNK = 8, 32  # boards


def shifted_sums(inputs: jax.Array, kernel: jax.Array) -> jax.Array:
    """Convolves `[B, H, W, C_in]` with `[C_in, 3, 3, C_out]`, zeros around the board.

    Differentiable in reverse mode only. The gradient that comes back is rounded to the dtype of the
    inputs, so that its products are as fast.

    Returns:
      `[B, H, W, C_out]` float32.
    """
    return _shifted_sums(*vary_alike(inputs, kernel))


@jax.custom_vjp
def _shifted_sums(inputs: jax.Array, kernel: jax.Array) -> jax.Array:
    side_by_side = kernel.reshape(len(kernel), -1).astype(inputs.dtype)

    def convolve(boards: jax.Array) -> jax.Array:
        products = sum_in_float32(_flatten(boards), side_by_side)
        products = products.reshape(len(products), 9, -1)
        shifted = (_shift(products[:, k], boards.shape, k) for k in range(9))
        return _unflatten(sum(shifted), boards.shape)

    return map_chunks(convolve, inputs, _CHUNK)


def _forward(
    inputs: jax.Array, kernel: jax.Array
) -> tuple[jax.Array, tuple[jax.Array, jax.Array, jax.Array]]:
    return _shifted_sums(inputs, kernel), (to_bits(inputs), kernel, inputs[:0])


def _backward(
    saved: tuple[jax.Array, jax.Array, jax.Array], gradient: jax.Array
) -> tuple[jax.Array, jax.Array]:
    bits, kernel, of_dtype = saved
    inputs = from_bits(bits, like=of_dtype)
    gradient = gradient.astype(inputs.dtype)
    of_inputs = _shifted_sums(gradient, transpose_kernel(kernel)).astype(inputs.dtype)
    return of_inputs, sum_chunks(_kernel_gradient, (inputs, gradient), _GRADIENT_CHUNK)


_shifted_sums.defvjp(_forward, _backward)


def _kernel_gradient(boards: tuple[jax.Array, jax.Array]) -> jax.Array:
    """Returns `[C_in, 3, 3, C_out]`: the gradient summed over all boards.

    Three copies of the inputs, a row apart, meet three of the gradient, a column apart, in a single
    product that holds the nine: a third of the copying that nine shifts of either would take.
    """
    inputs, gradient = boards
    outputs = _rows(gradient)
    num_cells, next_row = len(outputs) + 2, inputs.shape[2] + 1
    cells = to_bits(_transpose(_flatten(inputs)))
    a_row_apart = [cells[:, k * next_row :][:, :num_cells] for k in range(3)]
    outputs = to_bits(_pad(outputs, ((2, 2), (0, 0))))
    a_column_apart = [outputs[2 - k :][:num_cells] for k in range(3)]
    products = sum_in_float32(
        from_bits(jnp.concatenate(a_row_apart, axis=0), like=inputs),
        from_bits(jnp.concatenate(a_column_apart, axis=1), like=inputs),
    )
    return products.reshape(3, inputs.shape[-1], 3, -1).swapaxes(0, 1)


def _rows(boards: jax.Array) -> jax.Array:
    """Returns `[cells, C]`: all boards' cells in a row, each with a column and a row of zeros."""
    return _pad(boards, ((0, 0), (0, 1), (0, 1), (0, 0))).reshape(-1, boards.shape[-1])


def _flatten(boards: jax.Array) -> jax.Array:
    """Returns the same with zeros at both ends, as far as a shift reaches."""
    reach = boards.shape[2] + 2
    return _pad(_rows(boards), ((reach, reach), (0, 0)))


def _shift(cells: jax.Array, shape: tuple[int, ...], k: int) -> jax.Array:
    """Returns what lies under element k of the kernel at each cell of boards laid out."""
    batch, height, width, _ = shape
    begin = (width + 1) * (k // 3) + k % 3
    return cells[begin : begin + batch * (height + 1) * (width + 1)]


def _unflatten(cells: jax.Array, shape: tuple[int, ...]) -> jax.Array:
    """Returns the boards `[B, H, W, C]` out of their row of cells."""
    batch, height, width, _ = shape
    return cells.reshape(batch, height + 1, width + 1, -1)[:, :height, :width]


def _transpose(cells: jax.Array) -> jax.Array:
    """Returns `[C, cells]`, by a product with the identity: exact, and faster than to copy."""
    identity = jnp.eye(cells.shape[-1], dtype=cells.dtype)
    columns = jax.lax.dot_general(
        identity, cells, (((1,), (1,)), ((), ())), preferred_element_type=jnp.float32
    )
    return columns.astype(cells.dtype)


def _pad(array: jax.Array, widths: tuple[tuple[int, int], ...]) -> jax.Array:
    return from_bits(jnp.pad(to_bits(array), widths), like=array)
