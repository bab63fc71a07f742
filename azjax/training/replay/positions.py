"""The positions of a batch: which rows of which games, each with a symmetry of the board."""

import math

import chex
import jax
import jax.numpy as jnp

from azjax.training.algorithms.algorithm import TrainContext
from azjax.training.collectives import local_shard
from azjax.training.replay.sample_weights import find_positions
from azjax.training.state import Positions, Replay


def sample_bits(context: TrainContext, key: chex.PRNGKey) -> chex.Array:
    """Samples [U, G, N] uint32, the random bits of N samples from each of this device's G groups.

    Every group of games gives the same number of samples, so a batch does not depend on how the
    games are sharded over devices.

    Args:
      context: The sizes, of U updates.
      key: The same on every device.
    """
    config = context.config
    shape = config.num_updates, config.num_groups, config.batch_size // config.num_groups
    bits = jax.random.bits(key, (math.prod(shape),))  # one axis compiles the fastest
    return local_shard(bits.reshape(shape), context.axis_name)


def sample_positions(
    context: TrainContext,
    replay: Replay,
    cumulative_weights: chex.Array | None,
    bits: chex.Array,
) -> Positions:
    """Samples the positions of this device's share of a batch.

    Args:
      context: The sizes.
      replay: [C, B, ...].
      cumulative_weights: [G, K], from `sample_weights`; None samples the moves written uniformly.
      bits: [G, N] uint32, of one update, from `sample_bits`.
    """
    config, (num_rows, num_envs) = context.config, replay.trajectory.reward.shape
    group_size = config.num_games // config.num_groups
    if cumulative_weights is None:
        total_weight = jnp.minimum(replay.num_written, num_rows) * group_size
    else:
        total_weight = cumulative_weights[:, -1:]
    num_symmetries = len(context.game.symmetries.cells)
    # Row, game and symmetry come from one number: three samples would take longer to compile. The
    # bits are so many that the remainder is as good as uniform.
    choices = total_weight * num_symmetries
    number = (bits % choices.astype(jnp.uint32)).astype(jnp.int32)
    number, symmetry = jnp.divmod(number, num_symmetries)
    symmetry = symmetry * config.symmetries  # 0, the identity, without symmetries
    if cumulative_weights is not None:
        number = find_positions(cumulative_weights, number)
    rows, envs = jnp.divmod(number, group_size)
    envs = envs + group_size * jnp.arange(num_envs // group_size)[:, None]
    return Positions(rows.reshape(-1), envs.reshape(-1), symmetry.reshape(-1), bits.reshape(-1))
