"""The 3x3 convolution, in the form that is fastest where it runs.

XLA's CPU backend runs `lax.conv` inside a compiled loop on one core, and its gradient there tens of
times slower than the same arithmetic as matrix products. Self-play and learning are compiled loops,
so on CPU the convolution is written as products; elsewhere `lax.conv` is the vendor's own kernel.
"""

import jax
import jax.numpy as jnp
import numpy as np

from azjax.networks.ops.bfloat16_bits import from_bits, to_bits
from azjax.networks.ops.kernels import transpose_kernel
from azjax.networks.ops.matmul import kernel_gradient, multiply
from azjax.networks.ops.mesh import vary_alike
from azjax.networks.ops.shifted_sums import shifted_sums
from azjax.networks.ops.winograd import winograd

_MIN_CHANNELS = 16  # with fewer a plain product is the faster


def conv3x3(inputs: jax.Array, kernel: jax.Array) -> jax.Array:
    """Convolves with zeros around the board, so that the board keeps its size.

    Args:
      inputs: `[B, H, W, C_in]`, float32 or bfloat16.
      kernel: `[C_in, 3, 3, C_out]`; it is rounded to the dtype of the inputs.

    Returns:
      `[B, H, W, C_out]`, float32 or of the inputs' dtype.
    """
    if jax.default_backend() != "cpu":
        return jax.lax.conv_general_dilated(
            inputs,
            kernel.astype(inputs.dtype),
            (1, 1),
            "SAME",
            dimension_numbers=("NHWC", "IHWO", "NHWC"),
        )
    if min(kernel.shape[0], kernel.shape[-1]) < _MIN_CHANNELS:
        return product(inputs, kernel)
    if inputs.dtype == jnp.bfloat16:
        return shifted_sums(inputs, kernel)
    return winograd(inputs, kernel)


def product(inputs: jax.Array, kernel: jax.Array) -> jax.Array:
    """Convolves as `conv3x3` does, by one matrix product over nine shifted copies.

    Differentiable in reverse mode only.
    """
    return _product(*vary_alike(inputs, kernel))


@jax.custom_vjp
def _product(inputs: jax.Array, kernel: jax.Array) -> jax.Array:
    matrix = jnp.moveaxis(kernel, 0, 2).reshape(-1, kernel.shape[-1])
    return multiply(_shifted_copies(inputs), matrix)


def _product_forward(
    inputs: jax.Array, kernel: jax.Array
) -> tuple[jax.Array, tuple[jax.Array, jax.Array]]:
    return _product(inputs, kernel), (inputs, kernel)


def _product_backward(
    saved: tuple[jax.Array, jax.Array], gradient: jax.Array
) -> tuple[jax.Array, jax.Array]:
    inputs, kernel = saved
    of_inputs = _product(gradient.astype(inputs.dtype), transpose_kernel(kernel))
    of_matrix = kernel_gradient(_shifted_copies(inputs), gradient)
    of_kernel = jnp.moveaxis(of_matrix.reshape(3, 3, -1, kernel.shape[-1]), 2, 0)
    return of_inputs.astype(inputs.dtype), of_kernel


_product.defvjp(_product_forward, _product_backward)


def _shifted_copies(inputs: jax.Array) -> jax.Array:
    """Returns `[B, H, W, 9 C_in]`: what lies under the kernel at each cell."""
    _, height, width, _ = inputs.shape
    padded = jnp.pad(to_bits(inputs), ((0, 0), (1, 1), (1, 1), (0, 0)))
    rows = np.add.outer(np.arange(height), np.arange(3))[:, None, :, None]
    columns = np.add.outer(np.arange(width), np.arange(3))[None, :, None, :]
    copies = padded[:, rows, columns]  # [B, H, W, 3, 3, C_in], one loop to compile and not nine
    return from_bits(copies.reshape(*inputs.shape[:-1], -1), like=inputs)
