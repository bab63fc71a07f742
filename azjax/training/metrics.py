"""Metrics of one iteration."""

from typing import NamedTuple

import chex
import jax
import jax.numpy as jnp

from azjax.games import hash_state
from azjax.training.collectives import gather_shards, mean_over_devices, sum_over_devices
from azjax.training.hooks import TrainContext
from azjax.training.learner import LearningProgress
from azjax.training.state import PlayProgress, Trajectory


class Metrics(NamedTuple):
    """Metrics over all devices; shares are NaN if no game finished."""

    loss: chex.Array  # [] the weighted sum that is minimized, mean over updates
    policy_loss: chex.Array  # [] cross-entropy, nats; in REINFORCE times the advantage
    value_loss: chex.Array  # [] squared error of the expected result, whatever the value head
    gradient_norm: chex.Array  # [] global, before it is clipped, mean over updates
    learning_rate: chex.Array  # [] of the iteration's updates
    policy_entropy: chex.Array  # [] nats, of the action weights
    games_finished: chex.Array  # [] int32
    first_player_wins: chex.Array  # [] share of the games finished
    second_player_wins: chex.Array  # [] share
    draws: chex.Array  # [] share
    game_length: chex.Array  # [] mean number of moves by what learns
    simulations_per_move: chex.Array  # [] mean over the moves of self-play
    distinct_positions: chex.Array  # [] distinct ones as a share of the positions played
    extra: dict[str, chex.Array]  # [] by column, of the algorithm alone, mean over updates

    def by_column(self) -> dict[str, chex.Array]:
        """Returns the metrics by their names, such as `loss`, `reply_loss` and `draws`."""
        columns = self._asdict()
        return columns | columns.pop("extra")


def compute_metrics(
    context: TrainContext, learned: LearningProgress, trajectory: Trajectory, played: PlayProgress
) -> Metrics:
    """Returns the metrics of an iteration: of its updates, and of this device's moves [T, B]."""
    axis_name = context.axis_name
    finished = trajectory.discount == 0
    mover_sign = 1 - 2 * trajectory.state.current_player
    result = jnp.where(finished, trajectory.reward * mover_sign, 0.0)  # for player 0
    counts = jnp.stack([finished, result > 0, result < 0, played.game_lengths]).sum(axis=(1, 2))
    num_finished, first, second, moves = sum_over_devices(counts, axis_name)
    weights = trajectory.action_weights
    entropy = -jnp.sum(weights * jnp.log(jnp.maximum(weights, 1e-30)), axis=-1).mean()
    return Metrics(
        **learned.losses._asdict(),
        gradient_norm=learned.gradient_norm,
        learning_rate=learned.learning_rate,
        policy_entropy=mean_over_devices(entropy, axis_name),
        games_finished=num_finished,
        first_player_wins=first / num_finished,
        second_player_wins=second / num_finished,
        draws=1 - (first + second) / num_finished,
        game_length=moves / num_finished,
        simulations_per_move=played.simulations_per_move,
        distinct_positions=_distinct_share(context, trajectory),
    )


def _distinct_share(context: TrainContext, trajectory: Trajectory) -> chex.Array:
    """Returns []: distinct positions, without move counts, as a share of all positions."""
    game = context.game
    hashes = jax.vmap(jax.vmap(lambda x: hash_state(game.without_move_count(x))))(trajectory.state)
    hashes = jnp.sort(gather_shards(hashes, context.axis_name).reshape(-1))
    return (1 + (hashes[1:] != hashes[:-1]).sum()) / hashes.size
