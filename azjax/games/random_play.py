"""Random play: where games that shall not always start alike come from, and how some end."""

from typing import Any

import chex
import jax
import jax.numpy as jnp

from azjax.games.game import Game


def sample_from_mask(key: chex.PRNGKey, mask: chex.Array) -> chex.Array:
    """Returns [] int32: a true entry of bool[A], each as likely as the others; A if there is none.

    One number is drawn for the k-th true entry, not one for each entry: drawing is what random
    play costs most.
    """
    return _index_of_true(jax.random.uniform(key), mask)


def _index_of_true(uniform: chex.Array, mask: chex.Array) -> chex.Array:
    count = jnp.cumsum(mask.astype(jnp.int32))
    k = jnp.floor(uniform * count[-1]).astype(jnp.int32)
    return jnp.sum((count <= k).astype(jnp.int32))


def play_random_moves(game: Game, state: Any, num_moves: chex.Numeric, uniforms: chex.Array) -> Any:
    """Returns the state after that many random legal moves, fewer where one would end the game.

    Args:
      game: The rules.
      state: Where to begin.
      num_moves: [] int32; no more are tried than there are uniforms.
      uniforms: [M] float32, uniform between 0 and 1, one for each move. To draw them all at once
        compiles faster than to draw one in every move.
    """

    def move(i, state):
        action = _index_of_true(uniforms[i], game.legal_action_mask(state))
        after = game.step(state, action)
        return jax.tree.map(lambda old, new: jnp.where(after.terminated, old, new), state, after)

    return jax.lax.fori_loop(0, jnp.minimum(num_moves, len(uniforms)), move, state)
