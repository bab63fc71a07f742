"""Gradients that functions of inputs and a kernel, such as convolutions, define by themselves."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

# (inputs, kernel, outputs' gradient) -> the gradients of inputs and kernel
Backward = Callable[..., tuple[jax.Array, jax.Array]]


def with_gradients(backward: Backward) -> Callable[[Callable[..., Any]], Any]:
    """Returns a decorator of functions of inputs and a kernel; reverse mode alone is defined.

    Under `shard_map` both arguments must vary over the same mesh axes, as after `vary_alike`.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        differentiable = jax.custom_vjp(function)
        differentiable.defvjp(
            lambda inputs, kernel: (differentiable(inputs, kernel), (inputs, kernel)),
            lambda residuals, outputs_grad: backward(*residuals, outputs_grad),
        )
        return differentiable

    return decorate


def transpose_kernel(kernel: jax.Array) -> jax.Array:
    """Transposes `[C_in, 3, 3, C_out]` to `[C_out, 3, 3, C_in]`, flipped in both board axes.

    The convolution of the outputs' gradient with it is the inputs' gradient.
    """
    return jnp.flip(kernel, (1, 2)).swapaxes(0, 3)


def vary_alike(first: jax.Array, second: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Makes both arrays vary over every mesh axis that either of them varies over.

    Under `shard_map` a custom gradient must vary over the same mesh axes as its argument. A
    replicated kernel does not vary, but the boards that it multiplies do. The gradient of this
    cast sums a replicated argument's gradient over devices.
    """
    return vary_like(first, second), vary_like(second, first)


def vary_like(array: jax.Array, other: jax.Array) -> jax.Array:
    """Makes the array vary over the mesh axes of the other too."""
    zero = jax.lax.stop_gradient(other[:0]).sum()  # exactly 0, even if `other` holds NaN
    return array + zero.astype(array.dtype)
