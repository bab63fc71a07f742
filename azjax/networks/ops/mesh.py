"""Custom gradients under `shard_map`."""

import jax


def vary_alike(first: jax.Array, second: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Returns both, each varying over every mesh axis that either of them varies over.

    Under `shard_map` a custom gradient must vary over the mesh exactly as its argument does, and a
    replicated kernel meets boards that vary. The gradients of these casts are the sums over
    devices that a replicated argument needs.
    """
    return vary_like(first, second), vary_like(second, first)


def vary_like(array: jax.Array, other: jax.Array) -> jax.Array:
    """Returns the array, varying over the mesh axes of the other too."""
    nothing = jax.lax.stop_gradient(other[:0]).sum()  # exactly 0, whatever the other holds
    return array + nothing.astype(array.dtype)
