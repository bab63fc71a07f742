"""The gradient of a batch's loss, accumulated over microbatches where that is faster."""

from typing import Any

import chex
import jax
import jax.numpy as jnp
from jax.flatten_util import ravel_pytree

from azjax.networks import Variables
from azjax.networks.ops.chunks import sum_chunks
from azjax.support.returned import Shaped, check_returned
from azjax.training.algorithms.algorithm import TrainContext
from azjax.training.config import Hyperparameters
from azjax.training.learning.losses import Losses


def batch_gradient(
    context: TrainContext,
    variables: Variables,
    batch: Any,
    hyperparameters: Hyperparameters,
) -> tuple[chex.Array, Losses, dict[str, Any]]:
    """Returns the gradient of the batch's loss, all losses, and the new batch statistics.

    The mean over equal microbatches is that of the batch: a network that learns in microbatches
    treats each position by itself, and has no batch statistics.

    The gradient is one vector [N] in the order of `ravel_pytree`: what is done to all parameters
    alike is then compiled once, not once for each array.
    """

    def gradient_of(microbatch: Any) -> tuple[chex.Array, Losses, dict[str, Any]]:
        gradient, (losses, batch_stats) = jax.grad(_loss, has_aux=True)(
            *variables, context, microbatch, hyperparameters
        )
        return ravel_pytree(gradient)[0], losses, batch_stats

    batch_size = len(jax.tree.leaves(batch)[0])
    num_microbatches = context.network.num_microbatches(batch_size)
    total = sum_chunks(gradient_of, batch, batch_size // num_microbatches)
    return jax.tree.map(lambda x: x / num_microbatches, total)


def _loss(
    params: dict[str, Any], batch_stats: dict[str, Any], context: TrainContext, *rest: Any
) -> tuple[chex.Array, tuple[Losses, dict[str, Any]]]:
    """Returns the algorithm's loss, and its auxiliary output."""
    loss = context.algorithm.loss(params, batch_stats, context, *rest)
    expected = [Shaped((), jnp.floating), tuple]
    check_returned("result of the algorithm's loss", loss, expected)
    check_returned("auxiliary output of the algorithm's loss", loss[1], [Losses, dict])
    return loss
