"""The loss: cross-entropy of the policy plus squared error of the value."""

from typing import Any, NamedTuple

import chex
import jax
import jax.numpy as jnp
import optax

from azjax.games import Game
from azjax.networks import Variables
from azjax.search import mask_illegal
from azjax.training.context import TrainContext
from azjax.training.replay import Sample


class Losses(NamedTuple):
    """Means over a batch."""

    loss: chex.Array  # []
    policy_loss: chex.Array  # [] cross-entropy, nats
    value_loss: chex.Array  # [] squared error


class Batch(NamedTuple):
    """Network inputs and targets."""

    observation: chex.Array  # [S, H, W, C]
    legal: chex.Array  # [S, A] bool
    action_weights: chex.Array  # [S, A]
    value_target: chex.Array  # [S]
    policy_weight: chex.Array | None = None  # [S] of the policy loss, None where all are 1


def apply_symmetry(game: Game, sample: Sample) -> Batch:
    """Returns the samples as a batch, each transformed by its own symmetry of the board."""
    cells = jnp.asarray(game.symmetries.cells)[sample.symmetry]
    actions = jnp.asarray(game.symmetries.actions)[sample.symmetry]
    observation = jax.vmap(game.observe)(sample.state)
    planes = observation.reshape(observation.shape[0], -1, observation.shape[-1])
    planes = jnp.take_along_axis(planes, cells[:, :, None], axis=1)
    legal = jax.vmap(game.legal_action_mask)(sample.state)
    return Batch(
        observation=planes.reshape(observation.shape),
        legal=jnp.take_along_axis(legal, actions, axis=1),
        action_weights=jnp.take_along_axis(sample.action_weights, actions, axis=1),
        value_target=sample.value_target,
        policy_weight=sample.policy_weight,
    )


def loss_fn(
    params: dict[str, Any],
    batch_stats: dict[str, Any],
    context: TrainContext,
    batch: Batch,
    value_loss_weight: chex.Numeric,
) -> tuple[chex.Array, tuple[Losses, dict[str, Any]]]:
    """Returns the loss, and as auxiliary output all losses and the new batch statistics."""
    (logits, value), batch_stats = context.network.apply_train(
        Variables(params, batch_stats), batch.observation, context.axis_name
    )
    logits = mask_illegal(logits, batch.legal)
    policy_loss = optax.losses.safe_softmax_cross_entropy(logits, batch.action_weights)
    if batch.policy_weight is not None:
        policy_loss = batch.policy_weight * policy_loss
    policy_loss = policy_loss.mean()
    value_loss = jnp.square(value - batch.value_target).mean()
    loss = policy_loss + value_loss_weight * value_loss
    return loss, (Losses(loss, policy_loss, value_loss), batch_stats)
