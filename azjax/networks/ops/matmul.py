"""Products of activations and kernels, summed in float32, with gradients in the same precision."""

import jax
import jax.numpy as jnp

from azjax.networks.ops.mesh import vary_alike


def multiply(inputs: jax.Array, kernel: jax.Array) -> jax.Array:
    """Returns `inputs @ kernel` in float32; the kernel is rounded to the dtype of the inputs.

    Differentiable in reverse mode only. The gradient that comes back is rounded too, so that the
    products of the backward pass are as fast as those of the forward pass.

    Args:
      inputs: `[..., K]`, float32 or bfloat16.
      kernel: `[K, N]`, float32.
    """
    return _multiply(*vary_alike(inputs, kernel))


@jax.custom_vjp
def _multiply(inputs: jax.Array, kernel: jax.Array) -> jax.Array:
    return sum_in_float32(inputs, kernel.astype(inputs.dtype))


def _forward(inputs: jax.Array, kernel: jax.Array) -> tuple[jax.Array, tuple[jax.Array, jax.Array]]:
    return _multiply(inputs, kernel), (inputs, kernel)


def _backward(
    saved: tuple[jax.Array, jax.Array], gradient: jax.Array
) -> tuple[jax.Array, jax.Array]:
    inputs, kernel = saved
    of_inputs = _multiply(gradient.astype(inputs.dtype), kernel.T)
    return of_inputs.astype(inputs.dtype), kernel_gradient(inputs, gradient)


_multiply.defvjp(_forward, _backward)


def kernel_gradient(inputs: jax.Array, gradient: jax.Array) -> jax.Array:
    """Returns `[K, N]` float32: the sum over all rows of the inputs' outer with the gradient."""
    rows = inputs.reshape(-1, inputs.shape[-1])
    gradient = gradient.astype(inputs.dtype).reshape(-1, gradient.shape[-1])
    return sum_in_float32(rows.T, gradient)


def sum_in_float32(left: jax.Array, right: jax.Array) -> jax.Array:
    """Returns the product of `[..., K]` and `[K, N]`, of one dtype, summed in float32."""
    rows = left.reshape(-1, left.shape[-1])  # of two axes: what vendors' kernels are written for
    sums = jnp.matmul(rows, right, preferred_element_type=jnp.float32)
    return sums.reshape(*left.shape[:-1], right.shape[-1])
