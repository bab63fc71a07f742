"""Batches of states, outside compiled code."""

import chex
import jax
import numpy as np

from azjax.games.game import State


def batch_of_one(state: State) -> State:
    """Returns [1, ...]: a state as a batch."""
    return jax.tree.map(lambda x: np.asarray(x)[None], state)


def rows_as_bytes(states: chex.ArrayTree) -> list[bytes]:
    """Returns the bytes of each of B states [B, ...]: equal for equal states."""
    leaves = [np.ascontiguousarray(x).reshape(len(x), -1) for x in jax.tree.leaves(states)]
    rows = np.concatenate([leaf.view(np.uint8).reshape(len(leaf), -1) for leaf in leaves], axis=1)
    return [row.tobytes() for row in rows]
