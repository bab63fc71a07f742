"""Games of a policy against an opponent: who moves when, also where a player moves again."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from search.moving_again import KEEP, PASS, Countdown

from azjax.training.policy_games import play_replies

GAME = Countdown(5)


def keep_until_three(keys, states):
    """Returns the reply that keeps the turn while more than three are left."""
    del keys
    return jnp.where(states.left > 3, KEEP, PASS)


def test_the_opponent_moves_until_it_gives_the_turn_away_or_the_game_ends():
    """Four positions; the policy is player 0, which is to move in the first of them."""
    start = GAME.init(jax.random.key(0))
    states = jax.tree.map(lambda x: jnp.broadcast_to(x, (4, *x.shape)), start)
    states = states._replace(
        current_player=jnp.array([0, 1, 1, 1], jnp.int8), left=jnp.array([5, 5, 3, 1])
    )
    play = jax.jit(functools.partial(play_replies, GAME, keep_until_three))
    keys = jax.random.split(jax.random.key(1), 4)
    replied = jax.device_get(play(keys, jnp.zeros(4, jnp.int8), states))
    np.testing.assert_array_equal(replied.left[:3], [5, 2, 2])  # no reply, three, and one
    np.testing.assert_array_equal(replied.current_player[:3], 0)
    assert replied.terminated.tolist() == [False, False, False, True]
    assert replied.rewards[3].tolist() == [-1, 1]


def test_every_reply_has_a_key_of_its_own():
    """By one key an opponent would keep the turn always, or never."""

    def toss(keys, states):
        return jnp.where(jax.vmap(jax.random.bernoulli)(keys), KEEP, PASS)

    start = GAME.init(jax.random.key(0))._replace(current_player=jnp.int8(1))
    states = jax.tree.map(lambda x: jnp.broadcast_to(x, (32, *x.shape)), start)
    play = jax.jit(functools.partial(play_replies, GAME, toss))
    replied = play(jax.random.split(jax.random.key(1), 32), jnp.zeros(32, jnp.int8), states)
    assert {2, 3} < set(replied.left.tolist())
