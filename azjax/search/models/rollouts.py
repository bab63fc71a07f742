"""Leaf evaluation by random rollouts, alone or mixed with the network's value."""

from typing import Any

import chex
import jax
import jax.numpy as jnp

from azjax.games import Game, State, sample_from_mask
from azjax.search.models.evaluation import Evaluate, Evaluation, mask_illegal
from azjax.search.models.rules import reward_of_mover


def evaluate_with_rollouts(game: Game) -> Evaluate:
    """Returns the evaluation by one random rollout: a uniform prior, its result as the value."""

    def evaluate(params: Any, keys: chex.PRNGKey, states: State) -> Evaluation:
        del params
        legal = jax.vmap(game.legal_action_mask)(states)
        uniform_prior = mask_illegal(jnp.zeros(legal.shape), legal)
        return Evaluation(uniform_prior, _roll_out(game, keys, states))

    return evaluate


def evaluate_with_mixture(game: Game, evaluate: Evaluate, rollout_weight: float) -> Evaluate:
    """Returns an evaluation whose value is mixed with that of a rollout; the prior is unchanged.

    Weight 1/2 is AlphaGo's: "Mastering the game of Go with deep neural networks and tree
    search", Silver et al., Nature 2016.
    """
    evaluate_by_rollout = evaluate_with_rollouts(game)

    def evaluate_both(params: Any, keys: chex.PRNGKey, states: State) -> Evaluation:
        prior_logits, value = evaluate(params, keys, states)
        rollout = evaluate_by_rollout((), keys, states).value
        return Evaluation(prior_logits, (1 - rollout_weight) * value + rollout_weight * rollout)

    return evaluate_both


def _roll_out(game: Game, keys: chex.PRNGKey, states: State) -> chex.Array:
    """Returns [B] float32: the results of random play, from the view of the player to move."""

    def move(carry):
        states, num_moves = carry
        move_keys = jax.vmap(jax.random.fold_in, in_axes=(0, None))(keys, num_moves)
        actions = jax.vmap(sample_from_mask)(move_keys, jax.vmap(game.legal_action_mask)(states))
        return jax.vmap(game.step)(states, actions), num_moves + 1

    final, _ = jax.lax.while_loop(lambda carry: ~carry[0].terminated.all(), move, (states, 0))
    return reward_of_mover(states, final)
