"""States as values, for counting positions and looking them up: batches of one, bytes, hashes."""

import chex
import jax
import jax.numpy as jnp
import numpy as np

from azjax.games.game import State
from azjax.support.prng import mix


def batch_of_one(state: State) -> State:
    """Returns [1, ...]: a state as a batch."""
    return jax.tree.map(lambda x: np.asarray(x)[None], state)


def rows_as_bytes(states: chex.ArrayTree) -> list[bytes]:
    """Returns the bytes of each of B states [B, ...]: equal for equal states."""
    leaves = [np.ascontiguousarray(x).reshape(len(x), -1) for x in jax.tree.leaves(states)]
    rows = np.concatenate([leaf.view(np.uint8).reshape(len(leaf), -1) for leaf in leaves], axis=1)
    return [row.tobytes() for row in rows]


def hash_state(state: State) -> chex.Array:
    """Returns [] uint32: equal for equal states; different states collide once in 2**32."""
    entries = jnp.concatenate(
        [jnp.ravel(leaf).astype(jnp.int32).astype(jnp.uint32) for leaf in jax.tree.leaves(state)]
    )
    odd_multipliers = (
        np.random.default_rng(0).integers(2**32, size=entries.size, dtype=np.uint32) | 1
    )
    # Each entry is mixed before the sum, or the high bits of bitboards would cancel.
    return mix(jnp.sum(mix(entries * odd_multipliers), dtype=jnp.uint32))
