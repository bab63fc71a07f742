"""Replay: the last moves of every game as a ring on the device."""

import chex
import jax
import jax.numpy as jnp

from azjax.training.algorithms.algorithm import TrainContext
from azjax.training.state import Replay, Trajectory


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
