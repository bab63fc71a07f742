"""Learning: gradient updates on samples from replay, and the average of parameters that plays."""

from typing import Any, NamedTuple

import chex
import jax
import jax.numpy as jnp
import optax
from jax.flatten_util import ravel_pytree

from azjax.games import Game
from azjax.networks import Network, Variables, weight_decay_mask
from azjax.training.collectives import mean_over_devices
from azjax.training.config import Hyperparameters, TrainConfig
from azjax.training.equivariance import init_variables, tied_gradient
from azjax.training.gradient import batch_gradient
from azjax.training.loss import apply_symmetry
from azjax.training.replay import sample, sample_bits
from azjax.training.state import Learner, Replay
from azjax.training.targets import value_targets


class LearningProgress(NamedTuple):
    """How updates went."""

    loss: chex.Array  # []
    policy_loss: chex.Array  # []
    value_loss: chex.Array  # []
    gradient_norm: chex.Array  # [] global, before it is clipped


def init_learner(
    game: Game, network: Network, hyperparameters: Hyperparameters, key: chex.PRNGKey
) -> Learner:
    """Returns a learner with a fresh network."""
    variables = init_variables(game, network, key)
    return Learner(
        variables=variables,
        ema_variables=variables,
        optimizer=make_optimizer(hyperparameters, jnp.int32(0), variables.params).init(
            ravel_pytree(variables.params)[0]
        ),
        num_updates=jnp.int32(0),
    )


def make_optimizer(
    hyperparameters: Hyperparameters, num_updates: chex.Array, parameters: Any
) -> optax.GradientTransformation:
    """Returns AdamW with clipped gradients, at the learning rate of that update.

    It updates the parameters as one vector [N]; the weights of kernels alone decay. Its state has
    the same structure whatever the hyperparameters, so they may be traced.
    """
    is_kernel = jax.tree.map(
        lambda x, k: jnp.full(x.shape, k), parameters, weight_decay_mask(parameters)
    )
    adamw = optax.adamw(
        learning_rate(hyperparameters, num_updates),
        weight_decay=hyperparameters.weight_decay * ravel_pytree(is_kernel)[0],
    )
    return optax.chain(optax.clip_by_global_norm(hyperparameters.max_gradient_norm), adamw)


def learning_rate(hyperparameters: Hyperparameters, num_updates: chex.Array) -> chex.Array:
    """Returns []: a linear rise over the warm-up, then a cosine down to the final share."""
    hp = hyperparameters
    rise = jnp.minimum(1.0, (num_updates + 1) / jnp.maximum(hp.warmup_updates, 1))
    fallen = jnp.clip((num_updates - hp.warmup_updates) / jnp.maximum(hp.decay_updates, 1), 0, 1)
    cosine = 0.5 * (1 + jnp.cos(jnp.pi * fallen))
    return (
        hp.learning_rate * rise * (hp.final_learning_rate + (1 - hp.final_learning_rate) * cosine)
    )


def learn(
    game: Game,
    network: Network,
    config: TrainConfig,
    hyperparameters: Hyperparameters,
    learner: Learner,
    replay: Replay,
    key: chex.PRNGKey,
    axis_name: str | None,
) -> tuple[Learner, LearningProgress]:
    """Makes the iteration's gradient updates.

    Returns:
      The learner after them, and the means over them of how they went.
    """
    targets = value_targets(replay, hyperparameters.search_value_weight)

    def update(learner: Learner, bits: chex.Array):
        drawn = sample(game, config, replay, targets, bits)
        batch = apply_symmetry(game, drawn)
        gradient, losses, statistics = batch_gradient(
            network, learner.variables, batch, hyperparameters.value_loss_weight, axis_name
        )
        gradient, losses = mean_over_devices((gradient, losses), axis_name)
        gradient = tied_gradient(game, network, learner.variables.params, gradient)
        progress = jnp.stack([*losses, jnp.linalg.norm(gradient)])
        return apply_gradient(hyperparameters, learner, gradient, statistics), progress

    bits = sample_bits(config, key, axis_name)
    learner, progress = jax.lax.scan(update, learner, bits)
    return learner, LearningProgress(*progress.mean(axis=0))


def apply_gradient(
    hyperparameters: Hyperparameters, learner: Learner, gradient: chex.Array, statistics: Any
) -> Learner:
    """Returns the learner after one update by a gradient [N]."""
    parameters = learner.variables.params
    optimizer = make_optimizer(hyperparameters, learner.num_updates, parameters)
    vector, unravel = ravel_pytree(parameters)
    updates, optimizer_state = optimizer.update(gradient, learner.optimizer, vector)
    parameters = unravel(optax.apply_updates(vector, updates))
    # The first updates move far, so the average starts out short.
    decay = jnp.minimum(
        hyperparameters.average_decay, (1 + learner.num_updates) / (10 + learner.num_updates)
    )
    decay = jnp.where(hyperparameters.average_decay > 0, decay, 0.0)
    variables = Variables(parameters, statistics)
    return Learner(
        variables=variables,
        ema_variables=optax.incremental_update(variables, learner.ema_variables, 1 - decay),
        optimizer=optimizer_state,
        num_updates=learner.num_updates + 1,
    )
