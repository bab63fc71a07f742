"""Evaluation by random rollouts, alone and mixed with another evaluation."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from azjax.games import make
from azjax.search import Evaluation, evaluate_with_rollouts, rules_model, search

from .searching import make_search, positions

ROLLOUTS = 4096
VALUE_OF_RANDOM_PLAY = 737 / 1260 - 121 / 420  # of the empty board of tic-tac-toe, for the mover


@functools.cache
def compiled_rollouts(game):
    return jax.jit(functools.partial(evaluate_with_rollouts(game), ()))


def roll_out(game, states, seed=0):
    keys = jax.random.split(jax.random.key(seed), len(states.terminated))
    return jax.device_get(compiled_rollouts(game)(keys, states))


@pytest.fixture(scope="module")
def empty_boards():
    game = make("tic_tac_toe")
    return positions(game, *[".../.../... X"] * ROLLOUTS)


@pytest.fixture(scope="module")
def values(empty_boards):
    return roll_out(make("tic_tac_toe"), empty_boards).value


def test_a_forced_result_is_found_for_either_mover():
    """If coins are taken one at a time, the mover wins while their number is odd."""
    game = make("coins", coins=7, take=1)
    texts = [f"{coins} {side}" for coins in range(1, 8) for side in "XO"]
    expected = [1 if int(text.split()[0]) % 2 else -1 for text in texts]
    assert roll_out(game, positions(game, *texts)).value.tolist() == expected


def test_the_mean_is_the_value_of_random_play(values):
    assert values.mean() == pytest.approx(VALUE_OF_RANDOM_PLAY, abs=0.05)


def test_the_same_keys_give_the_same_rollouts_and_others_do_not(empty_boards, values):
    again, other = (roll_out(make("tic_tac_toe"), empty_boards, seed).value for seed in (0, 1))
    np.testing.assert_array_equal(again, values)
    assert (other != values).mean() > 0.3


def test_every_simulation_evaluates_with_a_key_of_its_own():
    game, config = make("coins"), make_search("uct", 16)

    def evaluate(parameters, keys, states):
        del parameters
        values = jax.vmap(jax.random.uniform)(keys)
        return Evaluation(jnp.zeros((len(states.terminated), 2)), values)

    model = rules_model(game, evaluate)
    find = jax.jit(functools.partial(search, model, config, ()))
    keys = jax.random.split(jax.random.key(0), 4)
    values = np.asarray(find(keys, positions(game, *["21 X"] * 4)).tree.raw_values)
    assert len(np.unique(values)) == 4 * (16 + 1)
