"""Casts that let custom gradients work under `shard_map`."""

import jax


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
