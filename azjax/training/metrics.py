"""What an iteration tells about itself."""

from typing import NamedTuple

import chex
import jax
import jax.numpy as jnp

from azjax.games import Game, hash_state
from azjax.training.collectives import gather_shards, mean_over_devices, sum_over_devices
from azjax.training.learning import LearningProgress
from azjax.training.state import Trajectory


class Metrics(NamedTuple):
    """Numbers of one iteration, over all devices; shares are NaN where no game finished."""

    loss: chex.Array  # [] policy loss plus weighted value loss, mean over the updates
    policy_loss: chex.Array  # [] cross-entropy, nats
    value_loss: chex.Array  # [] squared error
    gradient_norm: chex.Array  # [] global, before it is clipped, mean over the updates
    policy_entropy: chex.Array  # [] nats, of the action weights
    games_finished: chex.Array  # [] int32
    first_player_wins: chex.Array  # [] share of the games finished
    second_player_wins: chex.Array  # [] share
    draws: chex.Array  # [] share
    game_length: chex.Array  # [] mean number of moves made by the search
    distinct_positions: chex.Array  # [] share of the positions made that differ from each other


def no_metrics() -> Metrics:
    """Returns zeros, where there was no iteration."""
    zeros = [jnp.float32(0)] * len(Metrics._fields)
    return Metrics(*zeros)._replace(games_finished=jnp.int32(0))


def compute_metrics(
    game: Game,
    progress: LearningProgress,
    trajectory: Trajectory,
    lengths: chex.Array,
    axis_name: str | None,
) -> Metrics:
    """Returns the metrics of an iteration from this device's [T, B] moves and all its updates."""
    finished = trajectory.discount == 0
    mover_sign = 1 - 2 * trajectory.state.current_player
    result = jnp.where(finished, trajectory.reward * mover_sign, 0.0)  # for player 0
    counts = jnp.stack([finished, result > 0, result < 0, lengths]).sum(axis=(1, 2))
    num_finished, first, second, moves = sum_over_devices(counts, axis_name)
    weights = trajectory.action_weights
    entropy = -jnp.sum(weights * jnp.log(jnp.maximum(weights, 1e-30)), axis=-1).mean()
    return Metrics(
        *progress,
        policy_entropy=mean_over_devices(entropy, axis_name),
        games_finished=num_finished,
        first_player_wins=first / num_finished,
        second_player_wins=second / num_finished,
        draws=1 - (first + second) / num_finished,
        game_length=moves / num_finished,
        distinct_positions=_distinct_share(game, trajectory, axis_name),
    )


def _distinct_share(game: Game, trajectory: Trajectory, axis_name: str | None) -> chex.Array:
    """Returns the number of different positions, clocks aside, over the number of positions."""
    hashes = jax.vmap(jax.vmap(lambda x: hash_state(game.without_move_count(x))))(trajectory.state)
    hashes = jnp.sort(gather_shards(hashes, axis_name).reshape(-1))
    return (1 + (hashes[1:] != hashes[:-1]).sum()) / hashes.size
