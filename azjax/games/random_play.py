"""Random play, for starting positions and rollouts."""

import chex
import jax
import jax.numpy as jnp

from azjax.games.game import Game, StateT


def sample_from_mask(key: chex.PRNGKey, mask: chex.Array) -> chex.Array:
    """Samples [] int32: the index of a true entry of bool[A], uniformly; A if there is none.

    It samples one number, not one per entry: sampling is the largest cost of random play.
    """
    return _index_from_uniform(jax.random.uniform(key), mask)


def _index_from_uniform(uniform: chex.Array, mask: chex.Array) -> chex.Array:
    """Returns the index of the k-th of n true entries, k = floor(n * uniform); A if n is 0."""
    count = jnp.cumsum(mask.astype(jnp.int32))
    k = jnp.floor(uniform * count[-1]).astype(jnp.int32)
    return jnp.sum((count <= k).astype(jnp.int32))


def play_random_moves(
    game: Game[StateT], state: StateT, num_moves: chex.Numeric, uniforms: chex.Array
) -> StateT:
    """Returns the state after random legal moves; moves that would end the game are not played.

    Args:
      game: The rules.
      state: The state to begin from.
      num_moves: [] int32, how many moves to play, at most M.
      uniforms: [M] float32, samples between 0 and 1, one per move. One array compiles faster than
        sampling in each move.
    """

    def move(i, state):
        action = _index_from_uniform(uniforms[i], game.legal_action_mask(state))
        after = game.step(state, action)
        return jax.tree.map(lambda old, new: jnp.where(after.terminated, old, new), state, after)

    return jax.lax.fori_loop(0, jnp.minimum(num_moves, len(uniforms)), move, state)
