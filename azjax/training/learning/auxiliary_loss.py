"""The losses of auxiliary heads."""

from collections.abc import Callable
from typing import Any

import chex
import jax.numpy as jnp
import optax

from azjax.networks import Ownership
from azjax.training.replay.auxiliary_targets import ActionValues, OwnershipTarget


def auxiliary_losses(outputs: dict[str, Any], targets: dict[str, Any]) -> dict[str, chex.Array]:
    """Returns [] by the name of each head: the mean over all positions of a batch.

    A position without a target counts as one without an error.

    Args:
      outputs: [S, ...], `Outputs.auxiliary`.
      targets: [S, ...], of `sample_auxiliary`.
    """
    losses: dict[str, Callable[..., chex.Array]] = {
        "reply": _reply_loss,
        "action_values": _action_values_loss,
        "ownership": _ownership_loss,
    }
    return {name: losses[name](outputs[name], target).mean() for name, target in targets.items()}


def _reply_loss(logits: chex.Array, weights: chex.Array) -> chex.Array:
    """Returns [S]: cross-entropy, nats, over all actions; the legal ones are not known yet."""
    return optax.losses.safe_softmax_cross_entropy(logits, weights)


def _action_values_loss(values: chex.Array, target: ActionValues) -> chex.Array:
    """Returns [S]: the mean squared error over visited actions."""
    errors = jnp.where(target.is_visited, jnp.square(values - target.qvalues), 0)
    return errors.sum(axis=-1) / jnp.maximum(target.is_visited.sum(axis=-1), 1)


def _ownership_loss(outputs: Ownership, target: OwnershipTarget) -> chex.Array:
    """Returns [S]: the mean squared error over cells, plus that of the margin."""
    cells = target.cells.astype(jnp.float32)
    of_cells = jnp.square(outputs.cells - cells).mean(axis=-1)
    of_margin = jnp.square(outputs.margin - cells.mean(axis=-1))
    return jnp.where(target.is_known, of_cells + of_margin, 0)
