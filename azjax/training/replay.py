"""Replay: the last moves of every game, kept on the device as a ring, and samples from it."""

import math
from typing import Any, NamedTuple

import chex
import jax
import jax.numpy as jnp

from azjax.games import Game
from azjax.training.collectives import local_shard
from azjax.training.config import TrainConfig
from azjax.training.state import Replay, Trajectory


class Sample(NamedTuple):
    """Positions to learn from."""

    state: Any  # [S, ...]
    action_weights: chex.Array  # [S, A]
    value_target: chex.Array  # [S], from the view of the player to move
    symmetry: chex.Array  # [S] int32, the symmetry of the board to see the position through


def init_replay(game: Game, config: TrainConfig) -> Replay:
    """Returns a replay without moves, in which every row reads as a finished game."""
    state = game.init(jax.random.key(0))
    shape = (config.replay_moves, config.num_games)
    trajectory = Trajectory(
        state=jax.tree.map(lambda x: jnp.broadcast_to(x, shape + x.shape), state),
        action_weights=jnp.zeros((*shape, game.num_actions)),
        search_value=jnp.zeros(shape),
        reward=jnp.zeros(shape),
        discount=jnp.zeros(shape),
    )
    return Replay(trajectory, num_written=jnp.int32(0))


def insert(replay: Replay, trajectory: Trajectory) -> Replay:
    """Returns the replay with T more moves of each game, in place of the oldest.

    C is a multiple of T, so that a write never wraps around the ring's end.
    """
    num_rows, num_new = replay.trajectory.reward.shape[0], trajectory.reward.shape[0]
    row = replay.num_written % num_rows

    def write(ring, new):
        return jax.lax.dynamic_update_slice_in_dim(ring, new, row, axis=0)

    return Replay(
        trajectory=jax.tree.map(write, replay.trajectory, trajectory),
        num_written=replay.num_written + num_new,
    )


def sample_bits(config: TrainConfig, key: chex.PRNGKey, axis_name: str | None) -> chex.Array:
    """Returns [U, G, N] uint32: what N samples of each of this device's G groups are drawn by.

    Every group of games gives the same number of samples, so that the batch does not depend on
    how the games are laid over devices.

    Args:
      config: Sizes; of U updates.
      key: The same on every device.
      axis_name: The axis over devices.
    """
    shape = config.num_updates, config.num_groups, config.batch_size // config.num_groups
    bits = jax.random.bits(key, (math.prod(shape),))  # one axis compiles the fastest
    return local_shard(bits.reshape(shape), axis_name)


def sample(
    game: Game, config: TrainConfig, replay: Replay, value_target: chex.Array, bits: chex.Array
) -> Sample:
    """Draws this device's share of a batch, uniformly over the moves written.

    Args:
      game: The rules.
      config: Sizes.
      replay: [C, B, ...].
      value_target: [C, B].
      bits: [G, N] uint32, one update's of `sample_bits`.
    """
    num_rows, num_envs = value_target.shape
    group_size = config.num_games // config.num_groups
    num_filled = jnp.minimum(replay.num_written, num_rows)
    num_symmetries = len(game.symmetries.cells)
    # A row, a game and a symmetry by one number each: three draws would take longer to compile. So
    # many numbers that the remainder is as good as even.
    choices = num_filled * group_size * num_symmetries
    number = (bits % choices.astype(jnp.uint32)).astype(jnp.int32)
    number, symmetry = jnp.divmod(number, num_symmetries)
    symmetry = symmetry * config.symmetries  # 0: as it is
    rows, envs = jnp.divmod(number, group_size)
    envs = envs + group_size * jnp.arange(num_envs // group_size)[:, None]
    rows, envs = rows.reshape(-1), envs.reshape(-1)
    return Sample(
        state=jax.tree.map(lambda x: x[rows, envs], replay.trajectory.state),
        action_weights=replay.trajectory.action_weights[rows, envs],
        value_target=value_target[rows, envs],
        symmetry=symmetry.reshape(-1),
    )
