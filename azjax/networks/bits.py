"""Arrays as integers of their bits, to be moved about.

XLA's CPU backend widens bfloat16 to float32 and back wherever it is padded, sliced or joined, but
no integers. There is no gradient through bits.
"""

from typing import Any

import jax
import jax.numpy as jnp


def to_bits(tree: Any) -> Any:
    """Returns the arrays, those of bfloat16 as integers of 16 bits."""
    return jax.tree.map(
        lambda x: jax.lax.bitcast_convert_type(x, jnp.uint16) if x.dtype == jnp.bfloat16 else x,
        tree,
    )


def from_bits(tree: Any, like: Any) -> Any:
    """Returns the arrays of which `to_bits` made the tree: they have the dtypes of `like`."""
    return jax.tree.map(
        lambda x, y: jax.lax.bitcast_convert_type(x, y.dtype) if x.dtype != y.dtype else x,
        tree,
        like,
    )
