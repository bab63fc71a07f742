"""Games of a policy against an opponent: who moves when, also where a player moves again."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from search.moving_again import KEEP, PASS, Countdown

from azjax.training.policy_games import play_replies

GAME = Countdown(5)


def keep_until_three(keys, states):
    """Returns the reply that keeps the turn while more than three are left."""
    del keys
    return jnp.where(states.left > 3, KEEP, PASS)


@pytest.fixture(scope="module")
def replied():
    """Returns the positions after the replies to four positions; the policy is player 0."""
    start = GAME.init(jax.random.key(0))
    states = jax.tree.map(lambda x: jnp.broadcast_to(x, (4, *x.shape)), start)
    states = states._replace(
        current_player=jnp.array([0, 1, 1, 1], jnp.int8), left=jnp.array([5, 5, 3, 1])
    )
    play = jax.jit(functools.partial(play_replies, GAME, keep_until_three))
    keys = jax.random.split(jax.random.key(1), 4)
    return jax.device_get(play(keys, jnp.zeros(4, jnp.int8), states))


def test_there_is_no_reply_where_the_policy_moves_again(replied):
    assert replied.left[0] == 5


def test_the_opponent_moves_until_it_gives_the_turn_away(replied):
    np.testing.assert_array_equal(replied.left[1:3], [2, 2])  # after three replies, and after one
    np.testing.assert_array_equal(replied.current_player[1:3], 0)


def test_every_reply_has_a_key_of_its_own():
    """By one key an opponent would keep the turn always, or never."""

    def toss(keys, states):
        return jnp.where(jax.vmap(jax.random.bernoulli)(keys), KEEP, PASS)

    start = GAME.init(jax.random.key(0))._replace(current_player=jnp.int8(1))
    states = jax.tree.map(lambda x: jnp.broadcast_to(x, (32, *x.shape)), start)
    play = jax.jit(functools.partial(play_replies, GAME, toss))
    replied = play(jax.random.split(jax.random.key(1), 32), jnp.zeros(32, jnp.int8), states)
    assert {2, 3} < set(replied.left.tolist())


def test_a_reply_may_end_the_game(replied):
    assert replied.terminated.tolist() == [False, False, False, True]
    assert replied.rewards[3].tolist() == [-1, 1]
