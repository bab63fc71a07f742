"""Replay: the last moves of every game as a ring on the device, and samples from it."""

import math
from typing import Any, NamedTuple

import chex
import jax
import jax.numpy as jnp

from azjax.games import State
from azjax.training.algorithms.algorithm import TrainContext
from azjax.training.collectives import local_shard
from azjax.training.replay.auxiliary import sample_auxiliary
from azjax.training.replay.sample_weights import find_positions
from azjax.training.replay.targets import Targets
from azjax.training.state import Positions, Replay, Trajectory


def init_replay(context: TrainContext) -> Replay:
    """Returns a replay without moves; every row reads as the end of a game."""
    config, game = context.config, context.game
    state = game.init(jax.random.key(0))
    shape = (config.replay_moves, config.num_games)
    trajectory = Trajectory(
        state=jax.tree.map(lambda x: jnp.broadcast_to(x, shape + x.shape), state),
        action_weights=jnp.zeros((*shape, game.num_actions)),
        search_value=jnp.zeros(shape),
        reward=jnp.zeros(shape),
        discount=jnp.zeros(shape),
        extra=context.algorithm.empty_record(context, shape),
        bounds=jnp.zeros((*shape, 2), jnp.int8) if config.search.proven_values else None,
        policy_weight=jnp.zeros(shape) if config.fast_simulations else None,
        surprise=jnp.zeros(shape) if config.surprise_sampling else None,
        trace=jnp.zeros(shape) if config.weighted_traces else None,
    )
    return Replay(trajectory, num_written=jnp.int32(0))


def insert(replay: Replay, trajectory: Trajectory) -> Replay:
    """Returns the replay with T more moves of each game in place of the oldest.

    C is a multiple of T, so a write never wraps around the end of the ring.
    """

    def write(ring: chex.Array, new: chex.Array) -> chex.Array:
        return jax.lax.dynamic_update_slice_in_dim(ring, new, replay.next_row, axis=0)

    return Replay(
        trajectory=jax.tree.map(write, replay.trajectory, trajectory),
        num_written=replay.num_written + len(trajectory.reward),
    )


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


class Sample(NamedTuple):
    """Positions to learn from."""

    state: State  # [S, ...]
    action_weights: chex.Array  # [S, A]
    targets: Targets  # [S]
    symmetry: chex.Array  # [S] int32, the symmetry of the board to transform the position by
    auxiliary: dict[str, Any]  # [S, ...] by head
    policy_weight: chex.Array | None = None  # [S], None where all are 1


def gather_samples(
    context: TrainContext, replay: Replay, targets: Targets, positions: Positions
) -> Sample:
    """Returns what replay [C, B, ...] and targets [C, B] hold of S positions."""
    rows, envs, symmetry, _ = positions
    moves = replay.trajectory
    sampled_targets = jax.tree.map(lambda x: x[rows, envs], targets)
    return Sample(
        state=jax.tree.map(lambda x: x[rows, envs], moves.state),
        action_weights=moves.action_weights[rows, envs],
        targets=sampled_targets,
        symmetry=symmetry,
        auxiliary=sample_auxiliary(context, replay, sampled_targets.game_end, rows, envs),
        policy_weight=None if moves.policy_weight is None else moves.policy_weight[rows, envs],
    )
