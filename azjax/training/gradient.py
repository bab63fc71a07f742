"""The gradient of a batch's loss, taken in parts where that is faster."""

from typing import Any

import chex
import jax
from jax.flatten_util import ravel_pytree

from azjax.networks import Network, Variables
from azjax.networks.ops.chunks import sum_chunks
from azjax.training.loss import Batch, Losses, loss_fn


def batch_gradient(
    network: Network,
    variables: Variables,
    batch: Batch,
    value_loss_weight: chex.Numeric,
    axis_name: str | None,
) -> tuple[chex.Array, Losses, Any]:
    """Returns the gradient of the batch's loss, all losses, and the network's new statistics.

    The mean over equal parts is that of the batch: a network that learns in parts sees each
    position by itself, and has no statistics.

    The gradient is one vector [N], as `ravel_pytree` lays the parameters: what is done to all
    parameters alike is then compiled once, not once for each of them.
    """

    def gradient_of(part: Batch) -> tuple[chex.Array, Losses, Any]:
        gradient, (losses, statistics) = jax.grad(loss_fn, has_aux=True)(
            *variables, network, part, value_loss_weight, axis_name
        )
        return ravel_pytree(gradient)[0], losses, statistics

    batch_size = len(batch.value_target)
    num_parts = network.num_microbatches(batch_size)
    total = sum_chunks(gradient_of, batch, batch_size // num_parts)
    return jax.tree.map(lambda x: x / num_parts, total)
