"""AlphaZero's model: the rules of the game, and an evaluation of its states."""

from typing import Any

import chex
import jax
import jax.numpy as jnp

from azjax.games import Game, State
from azjax.search.models.evaluation import Evaluate
from azjax.search.models.model import Model, Root, Transition


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
