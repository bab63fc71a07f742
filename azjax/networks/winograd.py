"""The 3x3 convolution by Winograd's F(2x2, 3x3): Lavin & Gray 2015, arXiv:1509.09308.

For each 2x2 tile of outputs, with d the 4x4 patch of inputs under it and g the kernel,

    output = A^T [(G g G^T) * (B^T d B)] A

where * multiplies element by element: sixteen multiplications where the definition has thirty-six.
Summed over input channels, each of the sixteen is a matrix product over all tiles of all boards.
A and B hold only 0, 1 and -1, so their transforms are plain adds.

Boards are taken a chunk at a time, so that the sixteen transformed copies stay in a core's cache.
"""

import functools
from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp

from azjax.networks.chunks import map_chunks, sum_chunks
from azjax.networks.kernels import turn
from azjax.networks.mesh import vary_alike

_CHUNK = 32  # boards; 16 to 64 measure alike, none at all 10% slower forward and 30% in learning

# The transforms, as rows of coefficients. Names are the paper's.
_BT = ((1, 0, -1, 0), (0, 1, 1, 0), (0, -1, 1, 0), (0, 1, 0, -1))
_G = ((1, 0, 0), (0.5, 0.5, 0.5), (0.5, -0.5, 0.5), (0, 0, 1))
_AT = ((1, 1, 1, 0), (0, 1, -1, -1))
_A = tuple(zip(*_AT, strict=True))
_GT = tuple(zip(*_G, strict=True))

_Matrix = Sequence[Sequence[float]]
_Grid = list[list[jax.Array]]  # a small matrix whose elements are arrays


def winograd(inputs: jax.Array, kernel: jax.Array) -> jax.Array:
    """Convolves `[B, H, W, C_in]` with `[C_in, 3, 3, C_out]`, zeros around the board.

    Differentiable in reverse mode only.

    Returns:
      `[B, H, W, C_out]`.
    """
    return _winograd(*vary_alike(inputs, kernel))


@jax.custom_vjp
def _winograd(inputs: jax.Array, kernel: jax.Array) -> jax.Array:
    convolve = functools.partial(_convolve, transformed=_transform(_G, _grid(kernel)))
    return map_chunks(convolve, inputs, _CHUNK)


def _winograd_forward(
    inputs: jax.Array, kernel: jax.Array
) -> tuple[jax.Array, tuple[jax.Array, jax.Array]]:
    return _winograd(inputs, kernel), (inputs, kernel)


def _winograd_backward(
    saved: tuple[jax.Array, jax.Array], gradient: jax.Array
) -> tuple[jax.Array, jax.Array]:
    inputs, kernel = saved
    return _winograd(gradient, turn(kernel)), _kernel_gradient(inputs, gradient)


_winograd.defvjp(_winograd_forward, _winograd_backward)


def _convolve(inputs: jax.Array, transformed: _Grid) -> jax.Array:
    """Convolves one chunk of boards with a kernel that is already transformed."""
    _, height, width, _ = inputs.shape
    tiles = _transform(_BT, _input_patches(inputs))
    products = _zip_with(jnp.matmul, tiles, transformed)
    corners = _transform(_AT, products)  # 2x2 grid of [B, tile rows, tile columns, C]
    rows = [jnp.stack(row, axis=3) for row in corners]
    batch, tile_rows, tile_columns, _, channels = rows[0].shape
    outputs = jnp.stack(rows, axis=2).reshape(batch, 2 * tile_rows, 2 * tile_columns, channels)
    return outputs[:, :height, :width]


def _kernel_gradient(inputs: jax.Array, gradient: jax.Array) -> jax.Array:
    """Sums the kernel's gradient `[C_in, 3, 3, C_out]` over all boards, chunk by chunk."""
    grid = sum_chunks(_transformed_kernel_gradient, (inputs, gradient), _CHUNK)
    return jnp.stack([jnp.stack(row, axis=1) for row in _transform(_GT, grid)], axis=1)


def _transformed_kernel_gradient(boards: tuple[jax.Array, jax.Array]) -> _Grid:
    inputs, gradient = boards

    def contract(tile: jax.Array, product: jax.Array) -> jax.Array:
        return tile.reshape(-1, tile.shape[-1]).T @ product.reshape(-1, product.shape[-1])

    tiles = _transform(_BT, _input_patches(inputs))
    return _zip_with(contract, tiles, _transform(_A, _output_corners(gradient)))


def _input_patches(inputs: jax.Array) -> _Grid:
    """Returns a 4x4 grid of `[B, tile rows, tile columns, C]`: each tile's patch, zero-padded."""
    _, height, width, _ = inputs.shape
    padded = jnp.pad(inputs, ((0, 0), (1, 1 + height % 2), (1, 1 + width % 2), (0, 0)))
    rows, columns = padded.shape[1] - 3, padded.shape[2] - 3
    return [[padded[:, i : i + rows : 2, j : j + columns : 2] for j in range(4)] for i in range(4)]


def _output_corners(outputs: jax.Array) -> _Grid:
    """Returns a 2x2 grid of `[B, tile rows, tile columns, C]`: each tile's outputs."""
    _, height, width, _ = outputs.shape
    padded = jnp.pad(outputs, ((0, 0), (0, height % 2), (0, width % 2), (0, 0)))
    return [[padded[:, i::2, j::2] for j in range(2)] for i in range(2)]


def _transform(matrix: _Matrix, grid: _Grid) -> _Grid:
    """Returns `matrix @ grid @ matrix.T`."""
    columns = [[_combine(row, column) for row in matrix] for column in zip(*grid, strict=True)]
    return [[_combine(row, line) for row in matrix] for line in zip(*columns, strict=True)]


def _combine(coefficients: Sequence[float], terms: Sequence[jax.Array]) -> jax.Array:
    pairs = [(c, term) for c, term in zip(coefficients, terms, strict=True) if c]
    return functools.reduce(jnp.add, [term if c == 1 else c * term for c, term in pairs])


def _zip_with(function: Callable[..., jax.Array], left: _Grid, right: _Grid) -> _Grid:
    return [
        [function(a, b) for a, b in zip(*rows, strict=True)]
        for rows in zip(left, right, strict=True)
    ]


def _grid(kernel: jax.Array) -> _Grid:
    return [[kernel[:, i, j] for j in range(3)] for i in range(3)]
