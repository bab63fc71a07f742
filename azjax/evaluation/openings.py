"""Openings: random positions from which games that shall differ begin."""

import functools
from collections.abc import Callable
from typing import Any

import chex
import jax
import jax.numpy as jnp
import numpy as np

from azjax.evaluation.lookahead import look_ahead
from azjax.games import Game, play_random_moves

_ROUNDS = 8  # of drawing, before an opening is taken as it comes
_MOST_ACTIONS = 400  # with more, two moves are too many to look at


def draw_openings(game: Game, num_openings: int, num_moves: int, seed: int) -> Any:
    """Returns [num_openings] unfinished states after that many random legal moves.

    They are balanced as far as two moves tell: the mover cannot win at once, nor can the opponent
    for certain with the next move. An opening that is not is drawn again, up to 8 times. A game
    that would end within the moves is left as it is before its end.
    """
    first_key, again_key = jax.random.split(jax.random.key(seed))
    draw = _compile_draw(game)
    openings, balanced = jax.device_get(draw(jax.random.split(first_key, num_openings), num_moves))
    for round_key in jax.random.split(again_key, _ROUNDS):
        if balanced.all() or num_moves == 0:
            break
        drawn, are_good = jax.device_get(draw(jax.random.split(round_key, num_openings), num_moves))
        openings = jax.tree.map(functools.partial(_choose, balanced), openings, drawn)
        balanced = balanced | are_good
    return openings


@functools.cache
def _compile_draw(game: Game) -> Callable[[chex.PRNGKey, int], tuple[Any, chex.Array]]:
    """Returns `(keys [B], num_moves) -> states [B], whether balanced [B]`."""

    @jax.jit
    @functools.partial(jax.vmap, in_axes=(0, None))
    def draw(key, num_moves):
        start_key, play_key = jax.random.split(key)
        state = play_random_moves(game, game.init(start_key), num_moves, play_key)
        return state, _is_balanced(game, state)

    return draw


def _choose(kept: np.ndarray, old: np.ndarray, new: np.ndarray) -> np.ndarray:
    return np.where(kept.reshape(-1, *[1] * (old.ndim - 1)), old, new)


def _is_balanced(game: Game, state: Any) -> chex.Array:
    depth = 2 if game.num_actions <= _MOST_ACTIONS else 1
    return jnp.abs(look_ahead(game, state, depth).max()) < 0.5
