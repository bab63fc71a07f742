"""Bitcasts of bfloat16 arrays to integers, for operations that only move values.

XLA's CPU backend converts bfloat16 to float32 and back around each pad, slice and concatenate. It
does not convert integers.
"""

from typing import Any, TypeVar

import jax
import jax.numpy as jnp

TreeT = TypeVar("TreeT")  # a pytree of arrays


def to_bits(tree: TreeT) -> TreeT:
    """Bitcasts the bfloat16 arrays of a tree to uint16; other arrays stay as they are.

    Raises:
      TypeError: A gradient is taken; integers have none.
    """
    return jax.tree.map(lambda x: _to_bits(x) if x.dtype == jnp.bfloat16 else x, tree)


def from_bits(tree: TreeT, like: Any) -> TreeT:
    """Inverts `to_bits`.

    Args:
      tree: Arrays that `to_bits` returned.
      like: A tree of the same structure, whose dtypes the results have.
    """
    return jax.tree.map(
        lambda x, y: jax.lax.bitcast_convert_type(x, y.dtype) if x.dtype != y.dtype else x,
        tree,
        like,
    )


@jax.custom_jvp
def _to_bits(array: jax.Array) -> jax.Array:
    return jax.lax.bitcast_convert_type(array, jnp.uint16)


@_to_bits.defjvp
def _refuse_gradient(primals, tangents):
    raise TypeError("there is no gradient through the bits of an array")
