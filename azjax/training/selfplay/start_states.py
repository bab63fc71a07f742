"""Start states of games: the initial position, or one reached by random legal moves.

Self-play that always starts at the initial position collapses into a few lines; the network then
forgets the rest of the game, and its accuracy gets worse while its losses fall.
"""

import functools

import chex
import jax
import jax.numpy as jnp

from azjax.games import Game, State, play_random_moves
from azjax.support import prng
from azjax.training.config import Hyperparameters


def sample_start_states(game: Game, hyperparameters: Hyperparameters, keys: chex.PRNGKey) -> State:
    """Samples the unfinished states [B] in which new games start.

    Args:
      game: The rules.
      hyperparameters: The share of games with random moves, and the maximum of those moves.
      keys: [B, 2]: one for `game.init`, one for the moves.
    """
    uniforms = prng.uniform(keys[:, 1], 2 + game.max_moves)
    return jax.vmap(functools.partial(_start_state, game, hyperparameters))(keys[:, 0], uniforms)


def _start_state(
    game: Game, hyperparameters: Hyperparameters, key: chex.PRNGKey, uniforms: chex.Array
) -> State:
    share, length, move_uniforms = uniforms[0], uniforms[1], uniforms[2:]
    is_random = share < hyperparameters.random_start_fraction
    most = jnp.floor(hyperparameters.random_start_moves)
    num_moves = jnp.where(is_random, 1 + jnp.floor(length * most), 0).astype(jnp.int32)
    return play_random_moves(game, game.init(key), num_moves, move_uniforms)
