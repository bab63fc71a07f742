"""Hashes of states, to count and to look up positions."""

from typing import Any

import chex
import jax
import jax.numpy as jnp
import numpy as np


def hash_state(state: Any) -> chex.Array:
    """Returns [] uint32: equal for equal states, and for different ones but once in 2**32."""
    entries = jnp.concatenate(
        [jnp.ravel(leaf).astype(jnp.int32).astype(jnp.uint32) for leaf in jax.tree.leaves(state)]
    )
    odd_multipliers = (
        np.random.default_rng(0).integers(2**32, size=entries.size, dtype=np.uint32) | 1
    )
    mixed = jnp.sum(entries * odd_multipliers, dtype=jnp.uint32)
    for shift, multiplier in (
        (16, 0x85EBCA6B),
        (13, 0xC2B2AE35),
        (16, 1),
    ):  # MurmurHash3's finaliser
        mixed = (mixed ^ (mixed >> shift)) * np.uint32(multiplier)
    return mixed
