"""The loss: cross-entropy of the policy plus squared error of the value."""

from typing import Any, NamedTuple

import chex
import jax
import jax.numpy as jnp
import optax

from azjax.games import Game
from azjax.networks import Network, Variables
from azjax.search import mask_illegal
from azjax.training.replay import Sample


class Losses(NamedTuple):
    """Means over a batch."""

    loss: chex.Array  # []
    policy_loss: chex.Array  # [] cross-entropy, nats
    value_loss: chex.Array  # [] squared error


class Batch(NamedTuple):
    """Positions as the network sees them."""

    observation: chex.Array  # [S, H, W, C]
    legal: chex.Array  # [S, A] bool
    action_weights: chex.Array  # [S, A]
    value_target: chex.Array  # [S]


def apply_symmetry(game: Game, sample: Sample) -> Batch:
    """Returns the sample's positions, each seen through its own symmetry of the board."""
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
    )


def loss_fn(
    parameters: Any,
    statistics: Any,
    network: Network,
    batch: Batch,
    value_loss_weight: chex.Numeric,
    axis_name: str | None,
) -> tuple[chex.Array, tuple[Losses, Any]]:
    """Returns the loss, and beside it all losses and the network's new statistics."""
    variables = Variables(parameters, statistics)
    (logits, value), statistics = network.apply_train(variables, batch.observation, axis_name)
    logits = mask_illegal(logits, batch.legal)
    policy_loss = optax.losses.safe_softmax_cross_entropy(logits, batch.action_weights).mean()
    value_loss = jnp.square(value - batch.value_target).mean()
    loss = policy_loss + value_loss_weight * value_loss
    return loss, (Losses(loss, policy_loss, value_loss), statistics)
