"""AlphaGo's second stage: REINFORCE against a pool of the policy's past.

"Mastering the game of Go with deep neural networks and tree search", Silver et al., Nature 2016.
The pool begins with the policy that the run begins from, and takes the newest one at times.
"""

import dataclasses

import chex
import jax
import jax.numpy as jnp

from azjax.games import State
from azjax.networks import Variables
from azjax.search import evaluate_with_network
from azjax.training.algorithms.algorithm import TrainContext
from azjax.training.algorithms.options import POLICY_GRADIENT_HYPERPARAMETERS
from azjax.training.algorithms.policy_gradient import policy_gradient
from azjax.training.algorithms.reinforce import check_policy
from azjax.training.config import Hyperparameters
from azjax.training.selfplay.policy_games import Opponent, play_against, sample_from_logits
from azjax.training.state import FrozenNetworks, Games, PlayProgress, TrainState, Trajectory

_CHILD = 2**31  # of an iteration's key: none of those of its moves


def _freeze(context: TrainContext, variables: Variables) -> FrozenNetworks:
    """Returns a pool [N, ...] of equal networks."""
    size = context.config.pool_size
    pool = jax.tree.map(lambda x: jnp.broadcast_to(x, (size, *x.shape)), variables)
    return FrozenNetworks(pool, jnp.int32(0))


def _renew(context: TrainContext, state: TrainState) -> FrozenNetworks:
    """Returns the pool with the newest policy in place of the oldest, where that is due."""
    config, frozen = context.config, state.frozen
    assert frozen is not None, "the algorithm has a pool"
    is_due = state.iteration % config.pool_interval == 0
    slot = frozen.renewals % config.pool_size

    def put(pool: chex.Array, newest: chex.Array) -> chex.Array:
        return pool.at[slot].set(jnp.where(is_due, newest, pool[slot]))

    pool = jax.tree.map(put, frozen.variables, state.learner.variables)
    return FrozenNetworks(pool, frozen.renewals + is_due)


def _play(
    context: TrainContext,
    hyperparameters: Hyperparameters,
    state: TrainState,
    key: chex.PRNGKey,
    budget_share: chex.Numeric,
) -> tuple[Games, Trajectory, PlayProgress]:
    """Plays T moves of the policy in each of B games against one of the pool, sampled for all."""
    del budget_share
    frozen = state.frozen
    assert frozen is not None, "the algorithm has a pool"
    evaluate = evaluate_with_network(context.game, context.network)
    pool_key = jax.random.fold_in(key, jnp.uint32(_CHILD))
    member = jax.random.randint(pool_key, (), 0, context.config.pool_size)
    variables = jax.tree.map(lambda x: x[member], frozen.variables)

    def reply(keys: chex.PRNGKey, states: State) -> chex.Array:
        return sample_from_logits(keys, evaluate(variables, keys, states).prior_logits)

    opponent = Opponent(reply, jnp.float32(0))
    return play_against(context, hyperparameters, state, key, opponent)


reinforced_policy = dataclasses.replace(
    policy_gradient,
    options=("pool_size", "pool_interval", "network.value_head", "network.equivariant"),
    hyperparameters=POLICY_GRADIENT_HYPERPARAMETERS,
    check=check_policy,
    play=_play,
    freeze=_freeze,
    renew=_renew,
    has_rounds=False,
)
