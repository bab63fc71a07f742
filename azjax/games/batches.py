"""Batches of states, outside compiled code."""

import jax
import numpy as np

from azjax.games.game import State


def batch_of_one(state: State) -> State:
    """Returns [1, ...]: a state as a batch."""
    return jax.tree.map(lambda x: np.asarray(x)[None], state)
