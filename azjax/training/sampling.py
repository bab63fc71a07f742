"""Sampling from replay: which positions a batch is made of, and with what weights.

Each group of games gives the same number of samples to every batch. So a batch does not depend on
how the games are laid out over devices, and means over positions are means of a group.
"""

import chex
import jax
import jax.numpy as jnp

from azjax.training.hooks import TrainContext
from azjax.training.state import Positions, Replay, TrainState

# About the sum of a group's weights: many for each position of any usual group, and an int32.
_TOTAL_WEIGHT = 2**22


def by_group(context: TrainContext, array: chex.Array) -> chex.Array:
    """Returns [G, K] of [C, B]: the K positions of each of this device's groups, row by row."""
    num_rows, group_size = len(array), context.config.group_size
    grouped = array.reshape(num_rows, -1, group_size).swapaxes(0, 1)
    return grouped.reshape(-1, num_rows * group_size)


def from_groups(context: TrainContext, array: chex.Array) -> chex.Array:
    """Returns [C, B] of [G, K], as `by_group` orders them."""
    num_groups, group_size = len(array), context.config.group_size
    rows = array.reshape(num_groups, -1, group_size).swapaxes(0, 1)
    return rows.reshape(-1, num_groups * group_size)


def sample_weights(context: TrainContext, state: TrainState, replay: Replay) -> chex.Array | None:
    """Returns [G, K] int32: the cumulative weights of the K positions of each of G groups of games.

    The groups are this device's. None stands for equal weights of all that is written. The weights
    of a group are scaled to a fixed sum, whatever the parts return, and whole numbers: so their
    sums are exact. A group without weight is sampled uniformly.
    """
    parts = context.parts("weights")
    if not parts:
        return None
    is_written = replay.order(jnp.arange(replay.num_rows)) >= replay.num_rows - replay.num_written
    is_written = jnp.broadcast_to(is_written[:, None], replay.trajectory.reward.shape)
    weights = is_written.astype(jnp.float32)
    for part in parts:
        weights = part.weights(context, state.parts.get(part.name), replay, weights)
    grouped, written = by_group(context, weights), by_group(context, is_written)
    total = grouped.sum(axis=1, keepdims=True)
    grouped = jnp.where(total > 0, grouped / total, written / written.sum(axis=1, keepdims=True))
    return jnp.cumsum(jnp.ceil(_TOTAL_WEIGHT * grouped), axis=1, dtype=jnp.int32)


def sample_positions(
    context: TrainContext, replay: Replay, cumulative_weights: chex.Array | None, keys: chex.PRNGKey
) -> Positions:
    """Samples the positions of this device's share of a batch, by the keys [G] of its groups.

    The weights [G, K] are from `sample_weights`; None samples the moves written uniformly.
    """
    config, (num_rows, num_games) = context.config, replay.trajectory.reward.shape
    group_size, num_symmetries = config.group_size, len(context.game.symmetries.cells)
    size = config.batch_size // config.num_groups
    if cumulative_weights is None:
        num_positions = jnp.minimum(replay.num_written, num_rows) * group_size
        total_weight = jnp.broadcast_to(num_positions, keys.shape)
    else:
        total_weight = cumulative_weights[:, -1]

    def sample_group(key: chex.PRNGKey, total_weight: chex.Array) -> tuple[chex.Array, ...]:
        number_key, symmetry_key, key = jax.random.split(key, 3)
        number = jax.random.randint(number_key, (size,), 0, total_weight)
        return number, jax.random.randint(symmetry_key, (size,), 0, num_symmetries), key

    number, symmetry, keys = jax.vmap(sample_group)(keys, total_weight)
    symmetry = symmetry * config.symmetries  # 0, the identity, without symmetries
    if cumulative_weights is not None:
        number = find_positions(cumulative_weights, number)
    rows, games = jnp.divmod(number, group_size)
    games = games + group_size * jnp.arange(num_games // group_size)[:, None]
    return Positions(rows.reshape(-1), games.reshape(-1), symmetry.reshape(-1), keys)


def find_positions(cumulative_weights: chex.Array, number: chex.Array) -> chex.Array:
    """Returns [G, N] int32: the position that each number falls to; never one of weight 0.

    Numbers [G, N] are from 0 to below the last cumulative weight [G, K] of the group.
    """
    find = jax.vmap(lambda weights, x: jnp.searchsorted(weights, x, side="right"))
    return find(cumulative_weights, number)
