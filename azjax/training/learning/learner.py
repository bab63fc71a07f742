"""Learning: gradient updates on samples from replay, and the EMA of the variables."""

from typing import Any, NamedTuple

import chex
import jax
import jax.numpy as jnp
import optax
from jax.flatten_util import ravel_pytree

from azjax.networks import Variables
from azjax.networks.ops.chunks import sum_chunks
from azjax.support.returned import Shaped, check_returned
from azjax.training.algorithms.algorithm import Losses, TrainContext, losses_structure
from azjax.training.collectives import mean_over_devices
from azjax.training.config import Hyperparameters
from azjax.training.learning.optimizer import learning_rate, make_optimizer
from azjax.training.learning.symmetries import init_variables, tie_gradient
from azjax.training.replay.replay import sample_bits, sample_positions
from azjax.training.replay.sample_weights import sample_weights
from azjax.training.state import Learner, Replay


class LearningProgress(NamedTuple):
    """Means over updates, and the learning rate of all of them."""

    loss: chex.Array  # []
    policy_loss: chex.Array  # []
    value_loss: chex.Array  # []
    gradient_norm: chex.Array  # [] global, before it is clipped
    learning_rate: chex.Array  # []
    extra: dict[str, chex.Array]  # [] as in `Losses`


def init_learner(
    context: TrainContext, hyperparameters: Hyperparameters, key: chex.PRNGKey
) -> Learner:
    """Returns a learner with an initial network."""
    variables = init_variables(context.game, context.network, key)
    optimizer = make_optimizer(hyperparameters, 0.0, variables.params)
    return Learner(
        variables=variables,
        ema_variables=variables,
        optimizer=optimizer.init(ravel_pytree(variables.params)[0]),
        num_updates=jnp.int32(0),
    )


def learn(
    context: TrainContext,
    hyperparameters: Hyperparameters,
    learner: Learner,
    replay: Replay,
    key: chex.PRNGKey,
    budget_share: chex.Numeric,
) -> tuple[Learner, LearningProgress]:
    """Makes the iteration's gradient updates on batches from replay, all at one learning rate."""
    rate = learning_rate(hyperparameters, budget_share)
    algorithm, game, network = context.algorithm, context.game, context.network
    targets = algorithm.compute_targets(context, hyperparameters, replay)
    weights = sample_weights(context, hyperparameters, replay)

    def update(learner: Learner, bits: chex.Array) -> tuple[Learner, chex.Array]:
        positions = sample_positions(context, replay, weights, bits)
        batch = algorithm.make_batch(context, replay, targets, positions)
        gradient, losses, batch_stats = batch_gradient(
            context, learner.variables, batch, hyperparameters
        )
        gradient, losses = mean_over_devices((gradient, losses), context.axis_name)
        gradient = tie_gradient(game, network, learner.variables.params, gradient)
        progress = jnp.stack([*jax.tree.leaves(losses), jnp.linalg.norm(gradient)])
        return apply_gradient(hyperparameters, learner, gradient, batch_stats, rate), progress

    learner, progress = jax.lax.scan(update, learner, sample_bits(context, key))
    *means, gradient_norm = progress.mean(axis=0)
    losses = jax.tree.unflatten(losses_structure(algorithm.extra_metrics(context.config)), means)
    return learner, LearningProgress(
        **losses._asdict(), gradient_norm=gradient_norm, learning_rate=rate
    )


def apply_gradient(
    hyperparameters: Hyperparameters,
    learner: Learner,
    gradient: chex.Array,
    batch_stats: dict[str, Any],
    rate: chex.Numeric,
) -> Learner:
    """Returns the learner after one update by a gradient [N], at a learning rate."""
    optimizer = make_optimizer(hyperparameters, rate, learner.variables.params)
    params, unravel = ravel_pytree(learner.variables.params)
    updates, optimizer_state = optimizer.update(gradient, learner.optimizer, params)
    variables = Variables(unravel(optax.apply_updates(params, updates)), batch_stats)
    decay = ema_decay(hyperparameters, learner.num_updates)
    return Learner(
        variables=variables,
        ema_variables=optax.incremental_update(variables, learner.ema_variables, 1 - decay),
        optimizer=optimizer_state,
        num_updates=learner.num_updates + 1,
    )


def ema_decay(hyperparameters: Hyperparameters, num_updates: chex.Array) -> chex.Array:
    """Returns []: the decay of the EMA at an update; it rises, as the first updates move far."""
    decay = jnp.minimum(hyperparameters.average_decay, (1 + num_updates) / (10 + num_updates))
    return jnp.where(hyperparameters.average_decay > 0, decay, 0.0)


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
