"""Where games start: at the beginning, or from a random legal position.

Self-play that always starts at the beginning collapses into a few lines; the network then forgets
the rest of the game, and its play against truth gets worse while its losses fall.
"""

from typing import Any

import chex
import jax
import jax.numpy as jnp

from azjax.games import Game, play_random_moves
from azjax.training.config import Hyperparameters


def start_game(game: Game, hyperparameters: Hyperparameters, key: chex.PRNGKey) -> Any:
    """Returns the unfinished state in which one new game starts."""
    lots = jax.random.uniform(key, (2 + game.max_moves,))
    share, length = lots[:2]
    is_random = share < hyperparameters.random_start_fraction
    most = jnp.floor(hyperparameters.random_start_moves)
    num_moves = jnp.where(is_random, 1 + jnp.floor(length * most), 0).astype(jnp.int32)
    first = game.init(jax.random.fold_in(key, 0))
    return play_random_moves(game, first, num_moves, lots[2:])
