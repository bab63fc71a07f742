"""The gradient of a batch's loss, taken in parts where that is faster."""

from collections.abc import Callable
from typing import Any

import chex
import jax
import jax.numpy as jnp

from azjax.networks import Network, Variables
from azjax.training.loss import Batch, Losses, loss_fn


def batch_gradient(
    network: Network,
    variables: Variables,
    batch: Batch,
    value_loss_weight: chex.Numeric,
    axis_name: str | None,
) -> tuple[Any, Losses, Any]:
    """Returns the gradient of the batch's loss, all losses, and the network's new statistics.

    The mean over equal parts is that of the batch: a network that learns in parts sees each
    position by itself, and has no statistics.
    """

    def gradient_of(part: Batch) -> tuple[Any, Losses, Any]:
        gradient, (losses, statistics) = jax.grad(loss_fn, has_aux=True)(
            *variables, network, part, value_loss_weight, axis_name
        )
        return gradient, losses, statistics

    num_parts = network.num_learning_parts(len(batch.value_target))
    if num_parts == 1:
        return gradient_of(batch)
    parts = jax.tree.map(lambda x: x.reshape(num_parts, -1, *x.shape[1:]), batch)
    return _mean(gradient_of, parts, num_parts)


def _mean(function: Callable[[Batch], Any], parts: Batch, num_parts: int) -> Any:
    """Returns the mean of what a function makes of each part."""

    def add(total: Any, part: Batch) -> tuple[Any, None]:
        return jax.tree.map(jnp.add, total, function(part)), None

    shapes = jax.eval_shape(function, jax.tree.map(lambda x: x[0], parts))
    nothing = jax.tree.map(lambda x: jnp.zeros(x.shape, x.dtype), shapes)
    total, _ = jax.lax.scan(add, nothing, parts)
    return jax.tree.map(lambda x: x / num_parts, total)
