"""AlphaZero: search over the rules, and a network that learns its policy and the results.

"A general reinforcement learning algorithm that masters chess, shogi, and Go through self-play",
Silver et al., Science 2018; with Gumbel's search, "Policy improvement by planning with Gumbel",
Danihelka et al., ICLR 2022; with `gating_games`, AlphaGo Zero's rule of which network plays.
"""

from typing import Any, NamedTuple

import chex
import jax.numpy as jnp
import optax

from azjax.games import Game
from azjax.networks import (
    AUXILIARY_HEADS,
    Network,
    Outputs,
    Variables,
    check_equivariance,
    make_network,
)
from azjax.search import mask_illegal
from azjax.training.algorithms.algorithm import Algorithm, Losses, TrainContext
from azjax.training.algorithms.options import (
    SELF_PLAY_HYPERPARAMETERS,
    SELF_PLAY_OPTIONS,
    check_heads,
    check_simulations,
)
from azjax.training.config import Hyperparameters, TrainConfig
from azjax.training.learning.symmetries import board_symmetries, transform_positions
from azjax.training.replay.auxiliary import (
    auxiliary_losses,
    empty_record,
    permute,
    record_auxiliary,
)
from azjax.training.replay.replay import Sample, gather_samples
from azjax.training.replay.targets import Targets, compute_targets, result_probabilities
from azjax.training.selfplay.games import play_itself
from azjax.training.state import Positions, Replay


def check_values(config: TrainConfig) -> None:
    """Raises ValueError unless the network has values."""
    if config.network.value_head == "none":
        raise ValueError(
            f"network.value_head='none': algorithm {config.algorithm} needs values, scalar or wdl"
        )


def _check(config: TrainConfig) -> None:
    check_values(config)
    check_heads(config, AUXILIARY_HEADS)
    check_simulations(config)


def _make_network(config: TrainConfig, game: Game) -> Network:
    if "ownership" in config.network.auxiliary_heads and not game.has_ownership:
        raise ValueError(
            f"network.auxiliary_heads: must be without ownership, as cells of {game.name} have no "
            "owners"
        )
    check_equivariance(config.network, board_symmetries(game))
    return make_network(config.network, game.observation_shape, game.num_actions)


def _extra_metrics(config: TrainConfig) -> tuple[str, ...]:
    return tuple(f"{head}_loss" for head in config.network.auxiliary_heads)


class Batch(NamedTuple):
    """Network inputs and targets."""

    observation: chex.Array  # [S, H, W, C]
    legal: chex.Array  # [S, A] bool
    action_weights: chex.Array  # [S, A]
    targets: Targets  # [S]
    auxiliary: dict[str, Any]  # [S, ...] targets by head
    policy_weight: chex.Array | None = None  # [S] of the policy loss, None where all are 1
    value_weight: chex.Array | None = None  # [S] of the value loss, None where all are 1


def make_batch(
    context: TrainContext, replay: Replay, targets: Targets, positions: Positions
) -> Batch:
    """Returns the positions [S] of replay as a batch."""
    return apply_symmetry(context.game, gather_samples(context, replay, targets, positions))


def apply_symmetry(game: Game, sample: Sample) -> Batch:
    """Returns the samples as a batch, each transformed by its own symmetry of the board."""
    cells = jnp.asarray(game.symmetries.cells)[sample.symmetry]
    actions = jnp.asarray(game.symmetries.actions)[sample.symmetry]
    observation, legal = transform_positions(game, sample.state, sample.symmetry)
    return Batch(
        observation=observation,
        legal=legal,
        action_weights=jnp.take_along_axis(sample.action_weights, actions, axis=1),
        targets=sample.targets,
        auxiliary=permute(sample.auxiliary, cells, actions),
        policy_weight=sample.policy_weight,
    )


def alphazero_loss(
    params: dict[str, Any],
    batch_stats: dict[str, Any],
    context: TrainContext,
    batch: Batch,
    hyperparameters: Hyperparameters,
) -> tuple[chex.Array, tuple[Losses, dict[str, Any]]]:
    """Returns the loss, and as auxiliary output all losses and the new batch statistics."""
    outputs, batch_stats = context.network.apply_train(
        Variables(params, batch_stats), batch.observation, context.axis_name
    )
    logits = mask_illegal(outputs.policy_logits, batch.legal)
    policy_errors = optax.losses.safe_softmax_cross_entropy(logits, batch.action_weights)
    policy_loss = _weighted_mean(policy_errors, batch.policy_weight)
    has_value = context.config.network.value_head != "none"
    squared_errors = has_value * jnp.square(outputs.value - batch.targets.value)
    value_loss = _weighted_mean(squared_errors, batch.value_weight)
    trained_value_loss = _trained_value_loss(outputs, batch, value_loss)
    loss = policy_loss + hyperparameters.value_loss_weight * trained_value_loss
    auxiliary = auxiliary_losses(outputs.auxiliary, batch.auxiliary)
    for name, auxiliary_loss in auxiliary.items():
        loss += getattr(hyperparameters, f"{name}_loss_weight") * auxiliary_loss
    extra = {f"{name}_loss": auxiliary_loss for name, auxiliary_loss in auxiliary.items()}
    return loss, (Losses(loss, policy_loss, value_loss, extra), batch_stats)


def _trained_value_loss(outputs: Outputs, batch: Batch, squared_error: chex.Array) -> chex.Array:
    """Returns []: the squared error, or the cross-entropy of win, draw and loss where given."""
    value, draw = batch.targets.value, batch.targets.draw
    if outputs.value_logits is None or draw is None:
        return squared_error
    probabilities = result_probabilities(value, draw)
    errors = optax.losses.softmax_cross_entropy(outputs.value_logits, probabilities)
    return _weighted_mean(errors, batch.value_weight)


def _weighted_mean(errors: chex.Array, weight: chex.Array | None) -> chex.Array:
    """Returns []: the mean of errors [S] times their weights."""
    return (errors if weight is None else weight * errors).mean()


alphazero = Algorithm(
    options=(
        *SELF_PLAY_OPTIONS,
        "network.value_head",
        "network.auxiliary_heads",
        "network.equivariant",
        "search.proven_values",
    ),
    hyperparameters=(
        *SELF_PLAY_HYPERPARAMETERS,
        "reply_loss_weight",
        "action_values_loss_weight",
        "ownership_loss_weight",
    ),
    check=_check,
    make_network=_make_network,
    play=play_itself,
    record=record_auxiliary,
    empty_record=empty_record,
    compute_targets=compute_targets,
    make_batch=make_batch,
    loss=alphazero_loss,
    extra_metrics=_extra_metrics,
)
