"""A guard against a slow-down by a large factor, not a benchmark: the threshold is far below.

Two seconds a game, most of it compiling. The threshold is a quarter of what two idle laptop cores
reach, and the best of several tries counts, so that a busy machine does not fail it.
"""

import functools
import time

import jax
import jax.numpy as jnp
import pytest

from azjax.games import make

pytestmark = pytest.mark.slow

BOARDS, STEPS, TRIES = 4096, 64, 20
MOVES_PER_SECOND = 250_000


@functools.partial(jax.jit, static_argnums=0)
def play(game, key, states):
    """Returns the states after STEPS random moves each; a finished game starts anew."""

    def move(states, key):
        choice_key, reset_key = jax.random.split(key)
        mask = jax.vmap(game.legal_action_mask)(states)
        chances = jax.random.uniform(choice_key, mask.shape)
        after = jax.vmap(game.step)(states, jnp.where(mask, chances, -1.0).argmax(-1))
        fresh = jax.vmap(game.init)(jax.random.split(reset_key, BOARDS))
        return jax.vmap(reset_if_over)(after, fresh), None

    return jax.lax.scan(move, states, jax.random.split(key, STEPS))[0]


def reset_if_over(state, fresh):
    return jax.tree.map(lambda old, new: jnp.where(state.terminated, new, old), state, fresh)


@pytest.mark.usefixtures("optimizations")
@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four", "quixo", "othello"])
def test_random_games_are_played_fast_enough(name):
    game = make(name)
    states = jax.vmap(game.init)(jax.random.split(jax.random.key(0), BOARDS))
    jax.block_until_ready(play(game, jax.random.key(0), states))
    best = 0.0
    for attempt in range(TRIES):
        began = time.perf_counter()
        states = jax.block_until_ready(play(game, jax.random.key(attempt), states))
        best = max(best, BOARDS * STEPS / (time.perf_counter() - began))
        if best >= MOVES_PER_SECOND:
            break
    assert best >= MOVES_PER_SECOND, f"{name}: {best:,.0f} moves/s"
