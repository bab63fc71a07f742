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
from azjax.training.collectives import mean_over_devices
from azjax.training.hooks import Losses, TrainContext
from azjax.training.learning.symmetries import init_variables, tie_parameters
from azjax.training.replay.replay import sample_bits, sample_positions
from azjax.training.replay.sample_weights import sample_weights
from azjax.training.state import Learner, Replay, TrainState


class LearningProgress(NamedTuple):
    """Means over updates, and the learning rate of all of them."""

    loss: chex.Array  # []
    policy_loss: chex.Array  # []
    value_loss: chex.Array  # []
    gradient_norm: chex.Array  # [] global, before it is clipped
    learning_rate: chex.Array  # []
    extra: dict[str, chex.Array]  # [] as in `Losses`


def init_learner(context: TrainContext, key: chex.PRNGKey) -> Learner:
    """Returns a learner with an initial network."""
    variables = init_variables(context.game, context.network, key)
    optimizer = context.optimizer.transformation(variables.params, 0.0)
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

    Args:
      context: The sizes, the algorithm and the parts.
      state: The run before the iteration.
      replay: [C, B, ...], with the iteration's moves.
      key: The same on every device.
      progress: [], the share of the run's length that is done.

    Returns:
      The learner, the states of parts, and what the metrics report.
    """
    rate = context.optimizer.rate(progress)
    algorithm = context.algorithm
    targets = algorithm.compute_targets(context, replay)
    weights = sample_weights(context, state, replay)

    def update(
        carry: tuple[Learner, dict[str, Any]], bits: chex.Array
    ) -> tuple[tuple[Learner, dict[str, Any]], Any]:
        learner, parts = carry
        positions = sample_positions(context, replay, weights, bits)
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
    (learner, parts), progress_of_updates = jax.lax.scan(update, carry, sample_bits(context, key))
    losses, gradient_norm = jax.tree.map(jnp.mean, progress_of_updates)
    learned = LearningProgress(**losses._asdict(), gradient_norm=gradient_norm, learning_rate=rate)
    return learner, parts, learned


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
    optimizer = context.optimizer.transformation(params, rate)
    updates, opt_state = optimizer.update(unravel(gradient), learner.opt_state, params)
    params = optax.apply_updates(params, updates)
    if not context.optimizer.is_elementwise:
        vector = ravel_pytree(params)[0]
        params = unravel(tie_parameters(context.game, context.network, vector))
    variables = Variables(params, batch_stats)
    decay = ema_decay(context.config.ema_decay, learner.num_updates)
    return Learner(
        variables=variables,
        ema_variables=optax.incremental_update(variables, learner.ema_variables, 1 - decay),
        opt_state=opt_state,
        num_updates=learner.num_updates + 1,
    )


def ema_decay(most: chex.Numeric, num_updates: chex.Array) -> chex.Array:
    """Returns []: the decay of the EMA at an update, which rises to `most`: first steps go far."""
    decay = jnp.minimum(most, (1 + num_updates) / (10 + num_updates))
    return jnp.where(most > 0, decay, 0.0)


def batch_gradient(
    context: TrainContext, variables: Variables, batch: Any
) -> tuple[chex.Array, Losses, dict[str, Any]]:
    """Returns the gradient of the batch's loss, all losses, and the new batch statistics.

    The mean over equal microbatches is that of the batch: a network that learns in microbatches
    treats each position by itself, and has no batch statistics.

    The gradient is one vector [N] in the order of `ravel_pytree`: what is done to all parameters
    alike is then compiled once, not once for each array.
    """

    def loss(
        params: dict[str, Any], batch_stats: dict[str, Any], microbatch: Any
    ) -> tuple[chex.Array, tuple[Losses, dict[str, Any]]]:
        found = context.algorithm.loss(params, batch_stats, context, microbatch)
        expected = [Shaped((), jnp.floating), tuple]
        check_returned("result of the algorithm's loss", found, expected)
        check_returned("auxiliary output of the algorithm's loss", found[1], [Losses, dict])
        return found

    def gradient_of(microbatch: Any) -> tuple[chex.Array, Losses, dict[str, Any]]:
        gradient, (losses, batch_stats) = jax.grad(loss, has_aux=True)(*variables, microbatch)
        return ravel_pytree(gradient)[0], losses, batch_stats

    batch_size = len(jax.tree.leaves(batch)[0])
    num_microbatches = context.network.num_microbatches(batch_size)
    total = sum_chunks(gradient_of, batch, batch_size // num_microbatches)
    return jax.tree.map(lambda x: x / num_microbatches, total)
