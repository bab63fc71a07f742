"""What replay holds of a search."""

from typing import Any

import chex
import jax
import jax.numpy as jnp
import optax

from azjax.search import SearchResult, pack_bounds
from azjax.training.config import TrainConfig


def record_search(config: TrainConfig, result: SearchResult) -> dict[str, Any]:
    """Returns the fields of a trajectory, [B, ...], that a search of B positions gives."""
    return {
        "action_weights": result.action_weights,
        "search_value": result.value,
        "bounds": None if result.bounds is None else pack_bounds(result.bounds),
        "surprise": policy_surprise(result) if config.surprise_sampling else None,
    }


def relative_weight(result: SearchResult, action: chex.Array) -> chex.Array:
    """Returns [B] float32: the weight of each action [B] over that of the likeliest action."""
    weights = result.action_weights
    of_action = jnp.take_along_axis(weights, action[:, None], axis=1)[:, 0]
    return of_action / weights.max(axis=1)


def policy_surprise(result: SearchResult) -> chex.Array:
    """Returns [B] float32: KL(action weights || prior without noise) at the roots, in nats.

    Raises:
      ValueError: The search returns no prior.
    """
    if result.prior_logits is None:
        raise ValueError("surprise_sampling: the search must return `SearchResult.prior_logits`")
    log_prior = jax.nn.log_softmax(result.prior_logits)
    return jnp.maximum(optax.losses.kl_divergence(log_prior, result.action_weights), 0.0)
