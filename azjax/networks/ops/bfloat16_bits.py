"""Arrays as integers of their bits, to be moved about.

XLA's CPU backend widens bfloat16 to float32 and back wherever it is padded, sliced or joined, but
no integers.
"""

from typing import Any

import jax
import jax.numpy as jnp


def to_bits(tree: Any) -> Any:
    """Returns the arrays, those of bfloat16 as integers of 16 bits.

    Raises:
      TypeError: A gradient is asked for, which could not go through integers.
    """
    return jax.tree.map(lambda x: _to_bits(x) if x.dtype == jnp.bfloat16 else x, tree)


def from_bits(tree: Any, like: Any) -> Any:
    """Returns the arrays of which `to_bits` made the tree: they have the dtypes of `like`."""
    return jax.tree.map(
        lambda x, y: jax.lax.bitcast_convert_type(x, y.dtype) if x.dtype != y.dtype else x,
        tree,
        like,
    )


@jax.custom_jvp
def _to_bits(array: jax.Array) -> jax.Array:
    return jax.lax.bitcast_convert_type(array, jnp.uint16)


@_to_bits.defjvp
def _refuse(primals, tangents):
    raise TypeError("there is no gradient through the bits of an array")
