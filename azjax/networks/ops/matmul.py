"""Matrix products of activations and kernels, summed in float32, with gradients alike."""

import jax
import jax.numpy as jnp

from azjax.networks.ops.gradients import vary_alike, with_gradients
from azjax.networks.precision import product_precision


def multiply(inputs: jax.Array, kernel: jax.Array) -> jax.Array:
    """Returns `inputs @ kernel` in float32; the kernel is rounded to the dtype of the inputs.

    Differentiable in reverse mode only. The outputs' gradient is rounded to the dtype of the inputs
    too, so the backward pass multiplies as fast as the forward pass.

    Args:
      inputs: `[..., K]`, float32 or bfloat16.
      kernel: `[K, N]`, float32.
    """
    return _multiply(*vary_alike(inputs, kernel))


def _backward(
    inputs: jax.Array, kernel: jax.Array, outputs_grad: jax.Array
) -> tuple[jax.Array, jax.Array]:
    inputs_grad = _multiply(outputs_grad.astype(inputs.dtype), kernel.T)
    return inputs_grad.astype(inputs.dtype), kernel_gradient(inputs, outputs_grad)


@with_gradients(_backward)
def _multiply(inputs: jax.Array, kernel: jax.Array) -> jax.Array:
    return sum_in_float32(inputs, kernel.astype(inputs.dtype))


def kernel_gradient(inputs: jax.Array, outputs_grad: jax.Array) -> jax.Array:
    """Returns `[K, N]` float32: the outer products of `[..., K]` and `[..., N]`, summed."""
    rows = inputs.reshape(-1, inputs.shape[-1])
    outputs_grad = outputs_grad.astype(inputs.dtype).reshape(-1, outputs_grad.shape[-1])
    return sum_in_float32(rows.T, outputs_grad)


def sum_in_float32(left: jax.Array, right: jax.Array) -> jax.Array:
    """Returns the product of `[..., K]` and `[K, N]`, of one dtype, summed in float32."""
    rows = left.reshape(-1, left.shape[-1])  # two axes, the form that vendors' kernels support
    precision = product_precision(left.dtype)
    sums = jnp.matmul(rows, right, precision=precision, preferred_element_type=jnp.float32)
    return sums.reshape(*left.shape[:-1], right.shape[-1])
