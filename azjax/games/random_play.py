"""Random play: where games that shall not always start alike come from."""

from typing import Any

import chex
import jax
import jax.numpy as jnp

from azjax.games.game import Game


def play_random_moves(game: Game, state: Any, num_moves: chex.Numeric, key: chex.PRNGKey) -> Any:
    """Returns the state after that many random legal moves, fewer where one would end the game."""

    def move(i, state):
        legal = game.legal_action_mask(state)
        action = jax.random.categorical(jax.random.fold_in(key, i), jnp.where(legal, 0.0, -jnp.inf))
        after = game.step(state, action)
        return jax.tree.map(lambda old, new: jnp.where(after.terminated, old, new), state, after)

    return jax.lax.fori_loop(0, num_moves, move, state)
