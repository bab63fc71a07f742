"""The optimizer: AdamW at a learning rate that rises, then falls."""

from typing import Any

import chex
import jax
import jax.numpy as jnp
import optax
from jax.flatten_util import ravel_pytree

from azjax.networks import weight_decay_mask
from azjax.training.config import Hyperparameters

_TINY = 1e-6  # instead of a division by 0


def make_optimizer(
    hyperparameters: Hyperparameters, rate: chex.Numeric, params: dict[str, Any]
) -> optax.GradientTransformation:
    """Returns AdamW with clipped gradients, at a learning rate.

    It updates the parameters as one vector [N]; only kernels decay. Its state has the same
    structure whatever the hyperparameters, so they may be traced.
    """
    is_kernel = jax.tree.map(lambda x, k: jnp.full(x.shape, k), params, weight_decay_mask(params))
    adamw = optax.adamw(
        rate,
        weight_decay=hyperparameters.weight_decay * ravel_pytree(is_kernel)[0],
    )
    return optax.chain(optax.clip_by_global_norm(hyperparameters.max_gradient_norm), adamw)


def learning_rate(hyperparameters: Hyperparameters, budget_share: chex.Numeric) -> chex.Array:
    """Returns []: a linear rise over the warm-up, then a cosine, from and to the final share.

    Args:
      hyperparameters: The hyperparameters.
      budget_share: [] the share of the run's budget that is done, from 0 to 1.
    """
    warmup, final = hyperparameters.warmup_share, hyperparameters.final_learning_rate
    risen = budget_share / jnp.maximum(warmup, _TINY)
    fallen = jnp.clip((budget_share - warmup) / jnp.maximum(1 - warmup, _TINY), 0, 1)
    cosine = 0.5 * (1 + jnp.cos(jnp.pi * fallen))
    share = jnp.where(budget_share < warmup, risen, cosine)
    return hyperparameters.learning_rate * (final + (1 - final) * share)
