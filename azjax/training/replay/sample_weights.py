"""The weights of positions in sampling: whole numbers, so that their sums are exact."""

import chex
import jax
import jax.numpy as jnp

from azjax.training.hooks import TrainContext
from azjax.training.replay.groups import by_group
from azjax.training.state import Replay, TrainState

# About the sum of a group's weights: many for each position of any usual group, and, times the
# symmetries of a board, so few that the remainder of 32 random bits is uniform to 1%.
_TOTAL_WEIGHT = 2**22


def sample_weights(context: TrainContext, state: TrainState, replay: Replay) -> chex.Array | None:
    """Returns [G, K] int32: the cumulative weights of the K positions of each of G groups of games.

    The groups are this device's. None stands for equal weights of all that is written. The weights
    of a group are scaled to a fixed sum, whatever the parts return.
    """
    parts = context.parts("weights")
    if not parts:
        return None
    is_written = replay.order(jnp.arange(replay.num_rows)) >= replay.num_rows - replay.num_written
    shape = replay.trajectory.reward.shape
    weights = jnp.broadcast_to(is_written[:, None], shape).astype(jnp.float32)
    for part in parts:
        weights = part.weights(context, state.parts.get(part.name), replay, weights)
    grouped = by_group(context, weights)
    grouped = grouped / grouped.sum(axis=1, keepdims=True)
    return jnp.cumsum(jnp.ceil(_TOTAL_WEIGHT * grouped), axis=1, dtype=jnp.int32)


def find_positions(cumulative_weights: chex.Array, number: chex.Array) -> chex.Array:
    """Returns [G, N] int32: the position that each number falls to; never one of weight 0.

    Args:
      cumulative_weights: [G, K] int32.
      number: [G, N] int32, from 0 to below the last cumulative weight of the group.
    """
    find = jax.vmap(lambda weights, x: jnp.searchsorted(weights, x, side="right"))
    return find(cumulative_weights, number)
