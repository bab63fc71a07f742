"""AlphaZero's model: the rules of the game, and an evaluation of its states, as by rollouts."""

from typing import Any

import chex
import jax
import jax.numpy as jnp

from azjax.games import Game, State, sample_from_mask
from azjax.search.model import Evaluate, Evaluation, Model, Root, Transition, mask_illegal


def rules_model(game: Game, evaluate: Evaluate) -> Model:
    """Returns AlphaZero's model: the game's rules, and an evaluation of its states.

    The embedding of a position is its state.
    """

    def represent(params: Any, keys: chex.PRNGKey, states: State) -> Root:
        del params, keys
        return Root(states, jax.vmap(game.legal_action_mask)(states))

    def transition(
        params: Any, keys: chex.PRNGKey, actions: chex.Array, states: State
    ) -> Transition:
        del params, keys
        after = jax.vmap(game.step)(states, actions)
        # mctx goes on below terminal nodes, where `after` still holds the rewards of the end.
        reward = jnp.where(states.terminated, 0.0, reward_of_mover(states, after))
        return Transition(reward, discount_of_mover(states, after), after)

    return Model(game.num_actions, represent, transition, evaluate)


def reward_of_mover(states: State, after: State) -> chex.Array:
    """Returns [B] float32: the reward that the player to move at `states` has got at `after`."""
    mover = states.current_player.astype(jnp.int32)
    return jnp.take_along_axis(after.rewards, mover[:, None], axis=1)[:, 0].astype(jnp.float32)


def discount_of_mover(states: State, after: State) -> chex.Array:
    """Returns [B] float32: the factor that turns a value at `after` into one at `states`.

    It is 0 where the game is over, -1 where the turn passes, +1 where the mover moves again.
    """
    same_player = states.current_player == after.current_player
    return jnp.where(after.terminated, 0.0, jnp.where(same_player, 1.0, -1.0))


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
