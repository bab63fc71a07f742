"""The weights of positions in sampling: whole numbers, so that their sums are exact."""

import chex
import jax
import jax.numpy as jnp

from azjax.training.algorithms.algorithm import TrainContext
from azjax.training.config import Hyperparameters
from azjax.training.state import Replay

# About the sum of a group's weights by surprise: many for each position of any usual group, and,
# times the symmetries of a board, so few that the remainder of 32 random bits is uniform to 1%.
_TOTAL_WEIGHT = 2**22
# Nats: a group of positions without surprise is sampled uniformly.
_LEAST_SURPRISE = 1e-6


def sample_weights(
    context: TrainContext, hyperparameters: Hyperparameters, replay: Replay
) -> chex.Array | None:
    """Returns [G, K] int32: the cumulative weights of the K positions of each of G groups of games.

    The groups are this device's; a group's positions are in row-major order. None stands for equal
    weights of all that is written.
    """
    config, moves = context.config, replay.trajectory
    if not (config.growing_window or config.surprise_sampling):
        return None
    num_rows, num_envs = moves.reward.shape
    group_size = config.num_games // config.num_groups

    def by_group(array: chex.Array) -> chex.Array:
        """Returns [G, K] of [C, B]."""
        grouped = array.reshape(num_rows, -1, group_size).swapaxes(0, 1)
        return grouped.reshape(-1, num_rows * group_size)

    window = replay.num_written
    if config.growing_window:
        window = window_size(hyperparameters, window, num_rows)
    is_inside = replay.order(jnp.arange(num_rows)) >= num_rows - window
    weights = by_group(jnp.broadcast_to(is_inside[:, None], (num_rows, num_envs)))
    if moves.surprise is not None:
        learns_policy = moves.policy_weight is None or by_group(moves.policy_weight > 0)
        weights = surprise_weights(
            weights, by_group(moves.surprise), learns_policy, hyperparameters.surprise_weight
        )
    return jnp.cumsum(weights, axis=1, dtype=jnp.int32)


def surprise_weights(
    is_sampled: chex.Array,
    surprise: chex.Array,
    learns_policy: chex.Array | bool,
    share: chex.Numeric,
) -> chex.Array:
    """Returns [G, K] int32: proportional to (1 - s) + s * surprise / its mean over the group.

    Positions that learn no policy, those of a fast search, have the weight 1 and no part in the
    mean, so both kinds keep their shares of the samples. "Policy surprise weighting" of KataGo (Wu,
    https://github.com/lightvector/KataGo, docs/KataGoMethods.md).

    Args:
      is_sampled: [G, K] bool; the other positions have weight 0, and no part in the mean.
      surprise: [G, K], nats.
      learns_policy: [G, K] bool, or True for all.
      share: s, [].
    """
    counts = is_sampled & learns_policy
    surprise = surprise + _LEAST_SURPRISE
    mean = surprise.mean(axis=1, keepdims=True, where=counts)
    relative = jnp.where(counts, surprise / mean, 1.0)  # the mean is NaN where nothing counts
    weights = jnp.where(is_sampled, (1 - share) + share * relative, 0.0)
    weights = weights / is_sampled.sum(axis=1, keepdims=True)
    return jnp.ceil(_TOTAL_WEIGHT * weights).astype(jnp.int32)


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
    """Returns [] int32: the number of newest rows that are sampled, at most all written.

    For n rows ever written it is c * (1 + beta * ((n / c)^alpha - 1) / alpha) beyond the first c;
    its slope at n = c is beta. "Accelerating self-play learning in Go", Wu 2019, appendix C.
    """
    c, alpha = hyperparameters.window_min_moves, hyperparameters.window_exponent
    growth = (jnp.maximum(num_written / c, 1.0) ** alpha - 1) / alpha
    window = c * (1 + hyperparameters.window_growth * growth)
    return jnp.minimum(window, jnp.minimum(num_written, num_rows)).astype(jnp.int32)
