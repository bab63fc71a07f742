"""The 3x3 convolution of the accelerator's vendor, also with a kernel for each member of a batch.

JAX turns a vmapped convolution whose kernels differ into one in groups, which cuDNN computes
slowly. Members of a population have large batches of their own, so each is convolved by itself.
"""

import functools

import jax

from azjax.networks.ops.member_by_member import member_by_member
from azjax.networks.precision import product_precision


@jax.custom_vjp
def vendor_conv(inputs: jax.Array, kernel: jax.Array) -> jax.Array:
    """Convolves `[B, H, W, C_in]` with `[C_in, 3, 3, C_out]`, with zero padding of one cell.

    Both have one dtype. Differentiable in reverse mode only.

    Returns:
      `[B, H, W, C_out]` of that dtype.
    """
    return _forward_pass(inputs, kernel)


def _forward(inputs: jax.Array, kernel: jax.Array) -> tuple[jax.Array, tuple[jax.Array, jax.Array]]:
    return _forward_pass(inputs, kernel), (inputs, kernel)


def _backward(
    residuals: tuple[jax.Array, jax.Array], outputs_grad: jax.Array
) -> tuple[jax.Array, jax.Array]:
    inputs, kernel = residuals
    return _inputs_gradient(kernel, outputs_grad), _kernel_gradient(inputs, outputs_grad)


vendor_conv.defvjp(_forward, _backward)


@member_by_member
def _forward_pass(inputs: jax.Array, kernel: jax.Array) -> jax.Array:
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
