"""Leaf evaluation by random play to the end, alone or mixed with the network's."""

from typing import Any

import chex
import jax
import jax.numpy as jnp

from azjax.games import Game, sample_from_mask
from azjax.search.evaluation import Evaluate, Evaluation, mask_illegal
from azjax.search.model import reward_of_mover


def evaluate_with_rollouts(game: Game) -> Evaluate:
    """Returns the evaluation by one game of random moves: no prior, and its result as the value."""

    def evaluate(parameters: Any, keys: chex.PRNGKey, states: Any) -> Evaluation:
        del parameters
        legal = jax.vmap(game.legal_action_mask)(states)
        no_prior = mask_illegal(jnp.zeros(legal.shape), legal)
        return Evaluation(no_prior, _play_to_the_end(game, keys, states))

    return evaluate


def evaluate_with_mixture(game: Game, evaluate: Evaluate, rollout_weight: float) -> Evaluate:
    """Returns an evaluation whose value is in part that of a rollout, its prior left as it is.

    With weight 1/2 it is AlphaGo's: "Mastering the game of Go with deep neural networks and tree
    search", Silver et al., Nature 2016.
    """
    roll_out = evaluate_with_rollouts(game)

    def evaluate_both(parameters: Any, keys: chex.PRNGKey, states: Any) -> Evaluation:
        prior_logits, value = evaluate(parameters, keys, states)
        rolled = roll_out((), keys, states).value
        return Evaluation(prior_logits, (1 - rollout_weight) * value + rollout_weight * rolled)

    return evaluate_both


def _play_to_the_end(game: Game, keys: chex.PRNGKey, states: Any) -> chex.Array:
    """Returns [B] float32: the results of random play, from the view of the player to move."""

    def move(carry):
        states, num_moves = carry
        move_keys = jax.vmap(jax.random.fold_in, in_axes=(0, None))(keys, num_moves)
        actions = jax.vmap(sample_from_mask)(move_keys, jax.vmap(game.legal_action_mask)(states))
        return jax.vmap(game.step)(states, actions), num_moves + 1

    ended, _ = jax.lax.while_loop(lambda carry: ~carry[0].terminated.all(), move, (states, 0))
    return reward_of_mover(states, ended)
