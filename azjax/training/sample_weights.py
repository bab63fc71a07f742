"""The weights of positions in sampling: whole numbers, so that their sums are exact."""

import chex
import jax
import jax.numpy as jnp

from azjax.training.config import Hyperparameters
from azjax.training.context import TrainContext
from azjax.training.state import Replay


def sample_weights(
    context: TrainContext, hyperparameters: Hyperparameters, replay: Replay
) -> chex.Array | None:
    """Returns [G, K] int32: the cumulative weights of the K positions of each of G groups of games.

    The groups are this device's; a group's positions are in row-major order. None stands for equal
    weights of all that is written.
    """
    if not context.config.growing_window:
        return None
    num_rows, num_envs = replay.trajectory.reward.shape
    window = window_size(hyperparameters, replay.num_written, num_rows)
    age = (replay.num_written - 1 - jnp.arange(num_rows)) % num_rows  # 0 in the newest row
    weights = jnp.broadcast_to((age < window)[:, None], (num_rows, num_envs))
    group_size = context.config.num_games // context.config.num_groups
    grouped = weights.reshape(num_rows, -1, group_size).swapaxes(0, 1)  # [G, C, games]
    return jnp.cumsum(grouped.reshape(len(grouped), -1), axis=1, dtype=jnp.int32)


def find_positions(cumulative_weights: chex.Array, number: chex.Array) -> chex.Array:
    """Returns [G, N] int32: the position that each number falls to; never one of weight 0.

    Args:
      cumulative_weights: [G, K] int32.
      number: [G, N] int32, from 0 to below the last cumulative weight of the group.
    """
    find = jax.vmap(lambda weights, x: jnp.searchsorted(weights, x, side="right"))
    return find(cumulative_weights, number)


def window_size(
    hyperparameters: Hyperparameters, num_written: chex.Array, num_rows: int
) -> chex.Array:
    """Returns [] int32: the number of newest rows that samples are drawn from, at most all written.

    For n rows ever written it is c * (1 + beta * ((n / c)^alpha - 1) / alpha) beyond the first c;
    its slope at n = c is beta. "Accelerating self-play learning in Go", Wu 2019, appendix C.
    """
    c, alpha = hyperparameters.window_min_moves, hyperparameters.window_exponent
    growth = (jnp.maximum(num_written / c, 1.0) ** alpha - 1) / alpha
    window = c * (1 + hyperparameters.window_growth * growth)
    return jnp.minimum(window, jnp.minimum(num_written, num_rows)).astype(jnp.int32)
