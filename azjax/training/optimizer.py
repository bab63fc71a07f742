"""The optimizer: AdamW at a learning rate that rises, then falls."""

from typing import Any

import chex
import jax
import jax.numpy as jnp
import optax
from jax.flatten_util import ravel_pytree

from azjax.networks import weight_decay_mask
from azjax.training.config import Hyperparameters


def make_optimizer(
    hyperparameters: Hyperparameters, num_updates: chex.Array, params: dict[str, Any]
) -> optax.GradientTransformation:
    """Returns AdamW with clipped gradients, at the learning rate of that update.

    It updates the parameters as one vector [N]; only kernels decay. Its state has the same
    structure whatever the hyperparameters, so they may be traced.
    """
    is_kernel = jax.tree.map(lambda x, k: jnp.full(x.shape, k), params, weight_decay_mask(params))
    adamw = optax.adamw(
        learning_rate(hyperparameters, num_updates),
        weight_decay=hyperparameters.weight_decay * ravel_pytree(is_kernel)[0],
    )
    return optax.chain(optax.clip_by_global_norm(hyperparameters.max_gradient_norm), adamw)


def learning_rate(hyperparameters: Hyperparameters, num_updates: chex.Array) -> chex.Array:
    """Returns []: a linear rise over the warm-up, then a cosine down to the final share."""
    hp = hyperparameters
    rise = jnp.minimum(1.0, (num_updates + 1) / jnp.maximum(hp.warmup_updates, 1))
    decayed = jnp.clip((num_updates - hp.warmup_updates) / jnp.maximum(hp.decay_updates, 1), 0, 1)
    cosine = 0.5 * (1 + jnp.cos(jnp.pi * decayed))
    return (
        hp.learning_rate * rise * (hp.final_learning_rate + (1 - hp.final_learning_rate) * cosine)
    )
