"""The 3x3 convolution, in the form that is fastest on the backend.

Inside a compiled loop, XLA's CPU backend runs `lax.conv` on one core, and its gradient tens of
times slower than the same arithmetic as matrix products. Self-play and learning are compiled loops,
so on CPU the convolution is written as products. Elsewhere it is the vendor's.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np

from azjax.networks.ops.bfloat16_bits import from_bits, to_bits
from azjax.networks.ops.chunks import member_by_member
from azjax.networks.ops.gradients import transpose_kernel, vary_alike, with_gradients
from azjax.networks.ops.matmul import kernel_gradient, multiply
from azjax.networks.ops.shifted_sums import shifted_sums
from azjax.networks.ops.winograd import winograd
from azjax.networks.precision import product_precision
from azjax.support.machine.target import targets_cpu

_MIN_CHANNELS = 16  # with fewer, im2col is faster than the other forms


def conv3x3(inputs: jax.Array, kernel: jax.Array) -> jax.Array:
    """Convolves with zero padding of one cell, so the board keeps its size.

    Args:
      inputs: `[B, H, W, C_in]`, float32 or bfloat16.
      kernel: `[C_in, 3, 3, C_out]`; it is rounded to the dtype of the inputs.

    Returns:
      `[B, H, W, C_out]`, float32 or of the inputs' dtype.
    """
    if not targets_cpu():
        return vendor_conv(*vary_alike(inputs, kernel.astype(inputs.dtype)))
    if min(kernel.shape[0], kernel.shape[-1]) < _MIN_CHANNELS:
        return im2col(inputs, kernel)
    if inputs.dtype == jnp.bfloat16:
        return shifted_sums(inputs, kernel)
    return winograd(inputs, kernel)


def im2col(inputs: jax.Array, kernel: jax.Array) -> jax.Array:
    """Convolves as `conv3x3` does, by one matrix product with the 3x3 patches of the inputs.

    Differentiable in reverse mode only.
    """
    return _im2col(*vary_alike(inputs, kernel))


def _im2col_backward(
    inputs: jax.Array, kernel: jax.Array, outputs_grad: jax.Array
) -> tuple[jax.Array, jax.Array]:
    inputs_grad = _im2col(outputs_grad.astype(inputs.dtype), transpose_kernel(kernel))
    matrix_grad = kernel_gradient(_patches(inputs), outputs_grad)
    kernel_grad = jnp.moveaxis(matrix_grad.reshape(3, 3, -1, kernel.shape[-1]), 2, 0)
    return inputs_grad.astype(inputs.dtype), kernel_grad


@with_gradients(_im2col_backward)
def _im2col(inputs: jax.Array, kernel: jax.Array) -> jax.Array:
    matrix = jnp.moveaxis(kernel, 0, 2).reshape(-1, kernel.shape[-1])
    return multiply(_patches(inputs), matrix)


def _patches(inputs: jax.Array) -> jax.Array:
    """Returns `[B, H, W, 9 C_in]`: the 3x3 patch around each cell, row by row."""
    _, height, width, _ = inputs.shape
    padded = jnp.pad(to_bits(inputs), ((0, 0), (1, 1), (1, 1), (0, 0)))
    rows = np.add.outer(np.arange(height), np.arange(3))[:, None, :, None]
    columns = np.add.outer(np.arange(width), np.arange(3))[None, :, None, :]
    # One gather compiles to one loop, nine slices to nine.
    patches = padded[:, rows, columns]  # [B, H, W, 3, 3, C_in]
    return from_bits(patches.reshape(*inputs.shape[:-1], -1), like=inputs)


@with_gradients(lambda x, kernel, grad: (_inputs_gradient(kernel, grad), _kernel_gradient(x, grad)))
def vendor_conv(inputs: jax.Array, kernel: jax.Array) -> jax.Array:
    """Convolves as `conv3x3` does, by the accelerator's vendor; both arguments are of one dtype.

    JAX turns a vmapped convolution whose kernels differ into one in groups, which cuDNN computes
    slowly. Members of a population have large batches of their own, so each is convolved by itself.
    """
    return _vendor_conv(inputs, kernel)


@member_by_member
def _vendor_conv(inputs: jax.Array, kernel: jax.Array) -> jax.Array:
    return _convolve(inputs, kernel)


@member_by_member
def _inputs_gradient(kernel: jax.Array, outputs_grad: jax.Array) -> jax.Array:
    shape = (*outputs_grad.shape[:-1], kernel.shape[0])
    inputs = jax.ShapeDtypeStruct(shape, kernel.dtype)
    [grad] = jax.linear_transpose(lambda x: _convolve(x, kernel), inputs)(outputs_grad)
    return grad


@member_by_member
def _kernel_gradient(inputs: jax.Array, outputs_grad: jax.Array) -> jax.Array:
    shape = (inputs.shape[-1], 3, 3, outputs_grad.shape[-1])
    kernel = jax.ShapeDtypeStruct(shape, inputs.dtype)
    [grad] = jax.linear_transpose(functools.partial(_convolve, inputs), kernel)(outputs_grad)
    return grad


def _convolve(inputs: jax.Array, kernel: jax.Array) -> jax.Array:
    return jax.lax.conv_general_dilated(
        inputs,
        kernel,
        (1, 1),
        "SAME",
        dimension_numbers=("NHWC", "IHWO", "NHWC"),
        precision=product_precision(inputs.dtype),
    )
