"""Leaf evaluation: the prior and the value of a position."""

from collections.abc import Callable
from typing import Any, NamedTuple

import chex
import jax
import jax.numpy as jnp

from azjax.games import Game, State
from azjax.networks import Network, Variables, member_by_member
from azjax.support.machine.target import targets_cpu

# Finite: minus infinity turns into NaN in a softmax over no legal action.
ILLEGAL_LOGIT = -1e9


class Evaluation(NamedTuple):
    """Prior and value of a batch of positions."""

    prior_logits: chex.Array  # [B, A] float32, ILLEGAL_LOGIT where an action is known to be illegal
    value: chex.Array  # [B] float32, from the view of the player to move


# (params, keys [B], states [B]) -> Evaluation; the value of a finished state is not used
Evaluate = Callable[[Any, chex.PRNGKey, Any], Evaluation]


def evaluate_with_network(game: Game, network: Network) -> Evaluate:
    """Returns the evaluation by the network: its policy on the legal actions, and its value."""

    def evaluate(variables: Variables, keys: chex.PRNGKey, states: State) -> Evaluation:
        del keys
        apply = in_populations(network, network.apply)
        logits, value = apply(variables, jax.vmap(game.observe)(states))
        return Evaluation(mask_illegal(logits, jax.vmap(game.legal_action_mask)(states)), value)

    return evaluate


def in_populations(network: Network, function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function of the network as `vmap` over a population is to compute it.

    On a GPU that is member by member: convolutions with kernels of several members run as grouped
    ones, which are slow, and without their biases and activations.
    """
    is_slow = network.is_convolutional and not targets_cpu()
    return member_by_member(function) if is_slow else function


def mask_illegal(logits: chex.Array, legal: chex.Array) -> chex.Array:
    """Returns the logits with a legal maximum of 0, and ILLEGAL_LOGIT for illegal actions.

    The maximum has no gradient: it would be zero, and JAX computes 0 / 0 if XLA evaluates the
    logits twice and rounds them differently.
    """
    masked = jnp.where(legal, logits, ILLEGAL_LOGIT)
    best = jax.lax.stop_gradient(masked.max(axis=-1, keepdims=True))
    return jnp.where(legal, logits - best, ILLEGAL_LOGIT)


def is_legal(prior_logits: chex.Array) -> chex.Array:
    """Tells which actions are not masked; `prior_logits` may have been shifted."""
    return prior_logits > ILLEGAL_LOGIT / 2
