"""Where games start: at the beginning, or from a random legal position.

Self-play that always starts at the beginning collapses into a few lines; the network then forgets
the rest of the game, and its play against truth gets worse while its losses fall.
"""

import functools
from typing import Any

import chex
import jax
import jax.numpy as jnp

from azjax.games import Game, play_random_moves
from azjax.support import prng
from azjax.training.config import Hyperparameters


def sample_start_states(game: Game, hyperparameters: Hyperparameters, keys: chex.PRNGKey) -> Any:
    """Returns the unfinished states [B] in which new games start.

    Args:
      game: The rules.
      hyperparameters: How many games start from random positions, and after how many moves.
      keys: [B, 2]: one for what the game itself draws, one for the moves.
    """
    numbers = prng.uniform(keys[:, 1], 2 + game.max_moves)
    return jax.vmap(functools.partial(_start_game, game, hyperparameters))(keys[:, 0], numbers)


def _start_game(
    game: Game, hyperparameters: Hyperparameters, key: chex.PRNGKey, numbers: chex.Array
) -> Any:
    share, length, move_uniforms = numbers[0], numbers[1], numbers[2:]
    is_random = share < hyperparameters.random_start_fraction
    most = jnp.floor(hyperparameters.random_start_moves)
    num_moves = jnp.where(is_random, 1 + jnp.floor(length * most), 0).astype(jnp.int32)
    return play_random_moves(game, game.init(key), num_moves, move_uniforms)
