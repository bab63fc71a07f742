"""Openings: random starting positions that make the games of a match differ."""

import functools
from typing import NamedTuple

import chex
import jax
import jax.numpy as jnp
import numpy as np

from azjax.evaluation.players.minimax import minimax_values
from azjax.games import Game, State, record_random_moves

_ROUNDS = 8  # of sampling, before an unbalanced opening is accepted
_MOST_ACTIONS = 400  # with more, a search of two moves takes too long, so openings are not checked


class Openings(NamedTuple):
    """P starting positions, and the at most M moves that lead to each."""

    states: State  # [P, ...], unfinished
    actions: np.ndarray  # [P, M] int32; -1 where there is no move

    def moves(self, index: int) -> list[int]:
        """Returns the actions of one opening."""
        actions = self.actions[index]
        return actions[actions >= 0].tolist()


def sample_openings(game: Game, num_openings: int, num_moves: int, key: chex.PRNGKey) -> Openings:
    """Returns the unfinished states after that many random legal moves.

    They are balanced as far as minimax of depth 2 can tell: the mover has no immediate win, and the
    opponent no immediate win that the mover cannot prevent. An unbalanced opening is sampled again,
    up to 8 times. A move that would end the game is left out, so its opening is shorter.
    """
    first_key, *round_keys = jax.random.split(key, 1 + _ROUNDS)
    openings = _sample(game, jax.random.split(first_key, num_openings), num_moves)
    if num_moves == 0 or game.num_actions > _MOST_ACTIONS:
        return jax.device_get(openings)
    for round_key in round_keys:
        balanced = _are_balanced(game, openings.states)
        if balanced.all():
            break
        resampled = _sample(game, jax.random.split(round_key, num_openings), num_moves)
        openings = jax.tree.map(functools.partial(_choose, balanced), openings, resampled)
    return jax.device_get(openings)


@functools.partial(jax.jit, static_argnums=0)
def _sample(game: Game, keys: chex.PRNGKey, num_moves: chex.Numeric) -> Openings:
    def sample(key):
        start_key, play_key = jax.random.split(key)
        uniforms = jax.random.uniform(play_key, (game.max_moves,))
        return record_random_moves(game, game.init(start_key), num_moves, uniforms)

    return Openings(*jax.vmap(sample)(keys))


@functools.partial(jax.jit, static_argnums=0)
def _are_balanced(game: Game, states: State) -> chex.Array:
    """Returns [B]: whether minimax of depth 2 finds neither a win nor a loss for the mover."""
    return jnp.abs(minimax_values(game, states, depth=2).max(axis=1)) < 0.5


def _choose(kept: chex.Array, old: chex.Array, new: chex.Array) -> np.ndarray:
    kept = np.asarray(kept).reshape(-1, *[1] * (old.ndim - 1))
    return np.where(kept, np.asarray(old), np.asarray(new))
