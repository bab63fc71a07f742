"""The models of a network: the rules with its evaluation, or a learnt model of its own."""

from collections.abc import Callable
from typing import Any

import chex
import jax
import jax.numpy as jnp

from azjax.games import Game, State
from azjax.networks import ModelNetwork, Network, Variables, member_by_member
from azjax.search.model import Evaluate, Evaluation, Model, Root, Transition, mask_illegal
from azjax.search.rules_model import evaluate_with_mixture, rules_model
from azjax.support.machine.target import targets_cpu


def network_model(
    game: Game, network: Network, rollout_weight: chex.Numeric | None = None
) -> Model:
    """Returns the model that a network is searched over: its own, or else the rules.

    Args:
      game: The game.
      network: Evaluates leaves. If it predicts no values, those are the results of random rollouts
        alone.
      rollout_weight: The weight of a random rollout in a leaf's value, if it has any; then the
        search is over the rules, whatever the network.
    """
    if rollout_weight is None and isinstance(network, ModelNetwork):
        return learnt_model(game, network)
    evaluate = evaluate_with_network(game, network)
    weight = 1.0 if network.config.value_head == "none" else rollout_weight
    if weight is not None:
        evaluate = evaluate_with_mixture(game, evaluate, weight)
    return rules_model(game, evaluate)


def evaluate_with_network(game: Game, network: Network) -> Evaluate:
    """Returns the evaluation by the network: its policy on the legal actions, and its value."""

    def evaluate(variables: Variables, keys: chex.PRNGKey, states: State) -> Evaluation:
        del keys
        apply = in_populations(network, network.apply)
        logits, value = apply(variables, jax.vmap(game.observe)(states))
        return Evaluation(mask_illegal(logits, jax.vmap(game.legal_action_mask)(states)), value)

    return evaluate


def learnt_model(game: Game, network: ModelNetwork) -> Model:
    """Returns MuZero's model: the network's own latents, without rules but for the roots.

    "Mastering Atari, Go, Chess and Shogi by planning with a learned model", Schrittwieser et al.,
    Nature 2020. The rules give the roots and what is legal there.

    The embedding of a position is a latent. Every action is taken as one that passes the turn, and
    none as one that ends the game: what is beyond the end has the value of the result.
    """

    def represent(variables: Variables, keys: chex.PRNGKey, states: State) -> Root:
        del keys
        compute = in_populations(network, network.represent)
        latents = compute(variables, jax.vmap(game.observe)(states))
        return Root(latents, jax.vmap(game.legal_action_mask)(states))

    def transition(
        variables: Variables, keys: chex.PRNGKey, actions: chex.Array, latents: chex.Array
    ) -> Transition:
        del keys
        planes = jnp.asarray(game.action_planes)[actions]
        zero = jnp.zeros(actions.shape)
        compute = in_populations(network, network.transition)
        return Transition(zero, zero - 1, compute(variables, latents, planes))

    def predict(variables: Variables, keys: chex.PRNGKey, latents: Any) -> Evaluation:
        del keys
        logits, value = in_populations(network, network.predict)(variables, latents)
        return Evaluation(logits - logits.max(axis=-1, keepdims=True), value)

    return Model(game.num_actions, represent, transition, predict)


def in_populations(network: Network, function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function of the network as `vmap` over a population is to compute it.

    On a GPU that is member by member: convolutions with kernels of several members run as grouped
    ones, which are slow, and without their biases and activations.
    """
    is_slow = network.is_convolutional and not targets_cpu()
    return member_by_member(function) if is_slow else function
