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
        return _play_random_move(game, state, uniforms[i])[0]

    return jax.lax.fori_loop(0, jnp.minimum(num_moves, len(uniforms)), move, state)


def record_random_moves(
    game: Game[StateT], state: StateT, num_moves: chex.Numeric, uniforms: chex.Array
) -> tuple[StateT, chex.Array]:
    """Plays as `play_random_moves` does; returns also [M] int32, the actions, -1 where none is."""

    def move(i, carry):
        state, actions = carry
        after, action = _play_random_move(game, state, uniforms[i])
        return after, actions.at[i].set(action)

    start = state, jnp.full(len(uniforms), -1, jnp.int32)
    return jax.lax.fori_loop(0, jnp.minimum(num_moves, len(uniforms)), move, start)


def _play_random_move(
    game: Game[StateT], state: StateT, uniform: chex.Array
) -> tuple[StateT, chex.Array]:
    """Returns the state after a random move, and the move; or as it was, and -1."""
    action = _index_from_uniform(uniform, game.legal_action_mask(state))
    after = game.step(state, action)
    is_over = after.terminated
    kept = jax.tree.map(lambda old, new: jnp.where(is_over, old, new), state, after)
    return kept, jnp.where(is_over, -1, action)
