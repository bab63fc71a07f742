"""Learning: gradient updates on samples from replay, and the EMA of the variables."""

import functools
from typing import Any, NamedTuple

import chex
import jax
import jax.numpy as jnp
import optax
from jax.flatten_util import ravel_pytree

from azjax.networks import Variables
from azjax.networks.ops.chunks import sum_chunks
from azjax.support.returned import Shaped, check_returned
from azjax.training.collectives import mean_over_devices, split_over_games
from azjax.training.hooks import TrainContext
from azjax.training.sampling import sample_positions, sample_weights
from azjax.training.state import Learner, Losses, Positions, Replay, TrainState
from azjax.training.symmetries import init_variables, tie_parameters


class LearningProgress(NamedTuple):
    """Means over updates, and the learning rate of all of them."""

    losses: Losses
    gradient_norm: chex.Array  # [] global, before it is clipped
    learning_rate: chex.Array  # []


def init_learner(context: TrainContext, key: chex.PRNGKey) -> Learner:
    """Returns a learner with an initial network."""
    variables = init_variables(context.game, context.network, key)
    optimizer = context.config.optimizer.transformation(variables.params, 0.0)
    return Learner(
        variables=variables,
        ema_variables=variables,
        opt_state=optimizer.init(variables.params),
        num_updates=jnp.int32(0),
    )


def learn(
    context: TrainContext,
    state: TrainState,
    replay: Replay,
    key: chex.PRNGKey,
    progress: chex.Numeric,
) -> tuple[Learner, dict[str, Any], LearningProgress]:
    """Makes the iteration's gradient updates on batches from replay, all at one learning rate.

    `state` is the run before the iteration, and `replay` has the iteration's moves. The key is the
    same on every device. Returns the learner, the states of parts, and what the metrics report.
    """
    rate = context.config.optimizer.rate(progress)
    algorithm = context.config.algorithm
    targets = algorithm.compute_targets(context, replay)
    weights = sample_weights(context, state, replay)

    def update(
        carry: tuple[Learner, dict[str, Any]], positions: Positions
    ) -> tuple[tuple[Learner, dict[str, Any]], Any]:
        learner, parts = carry
        batch = algorithm.make_batch(context, replay, targets, positions)
        gradient, losses, batch_stats = batch_gradient(context, learner.variables, batch)
        gradient, losses = mean_over_devices((gradient, losses), context.axis_name)
        gradient = tie_parameters(context.game, context.network, gradient)
        learner = apply_gradient(context, learner, gradient, batch_stats, rate)
        learned = {
            part.name: part.learned(context, parts.get(part.name), learner, positions, batch)
            for part in context.parts("learned")
        }
        return (learner, parts | learned), (losses, jnp.linalg.norm(gradient))

    carry = state.learner, state.parts
    shape = context.config.num_updates, context.config.num_groups
    keys = split_over_games(key, shape, context.axis_name)
    positions = jax.vmap(functools.partial(sample_positions, context, replay, weights))(keys)
    (learner, parts), progress_of_updates = jax.lax.scan(update, carry, positions)
    losses, gradient_norm = jax.tree.map(jnp.mean, progress_of_updates)
    return learner, parts, LearningProgress(losses, gradient_norm, rate)


def apply_gradient(
    context: TrainContext,
    learner: Learner,
    gradient: chex.Array,
    batch_stats: dict[str, Any],
    rate: chex.Numeric,
) -> Learner:
    """Returns the learner after one update by a gradient [N], at a learning rate."""
    params = learner.variables.params
    _, unravel = ravel_pytree(params)
    optimizer = context.config.optimizer.transformation(params, rate)
    updates, opt_state = optimizer.update(unravel(gradient), learner.opt_state, params)
    params = optax.apply_updates(params, updates)
    if not context.config.optimizer.is_elementwise:
        vector = ravel_pytree(params)[0]
        params = unravel(tie_parameters(context.game, context.network, vector))
    variables = Variables(params, batch_stats)
    most, number = context.config.ema_decay, learner.num_updates
    decay = jnp.minimum(most, (1 + number) / (10 + number))  # first steps go far
    decay = jnp.where(most > 0, decay, 0.0)
    return Learner(
        variables=variables,
        ema_variables=optax.incremental_update(variables, learner.ema_variables, 1 - decay),
        opt_state=opt_state,
        num_updates=learner.num_updates + 1,
    )


def batch_gradient(
    context: TrainContext, variables: Variables, batch: Any
) -> tuple[chex.Array, Losses, dict[str, Any]]:
    """Returns the gradient of the batch's loss, all losses, and the new batch statistics.

    It is the mean over equal microbatches: a network that learns in microbatches treats each
    position by itself, and has no batch statistics. The gradient is one vector [N] in the order of
    `ravel_pytree`: what is done to all parameters alike is then compiled once, not for each array.
    """

    def loss(params: dict[str, Any], microbatch: Any) -> tuple[chex.Array, Any]:
        current = variables._replace(params=params)
        found = context.config.algorithm.loss(context, current, microbatch)
        check_returned("result of the algorithm's loss", found, [Losses, dict])
        check_returned("loss that the algorithm minimizes", found[0].loss, Shaped((), jnp.floating))
        return found[0].loss, found

    def gradient_of(microbatch: Any) -> tuple[chex.Array, Losses, dict[str, Any]]:
        gradient, (losses, batch_stats) = jax.grad(loss, has_aux=True)(variables.params, microbatch)
        return ravel_pytree(gradient)[0], losses, batch_stats

    batch_size = len(jax.tree.leaves(batch)[0])
    num_microbatches = context.network.num_microbatches(batch_size)
    total = sum_chunks(gradient_of, batch, batch_size // num_microbatches)
    return jax.tree.map(lambda x: x / num_microbatches, total)
