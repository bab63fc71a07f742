"""The peers: solved positions in Pgx's states, and the loop of Pgx's example."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from script_loading import load

from azjax.evaluation import read_records, require_positions
from azjax.games import make


@pytest.fixture(scope="module")
def script():
    return load("peer_train")


def test_solved_positions_are_the_same_in_pgx(script):
    game = make("connect_four")
    positions = require_positions(game, "connect_four")
    with jax.numpy_rank_promotion("allow"):
        import pgx

        env = pgx.make("connect_four")
        states = script.replay(env, read_records(game, "connect_four"))
    observed = jax.jit(jax.vmap(game.observe))(positions.states)
    np.testing.assert_array_equal(states.observation, observed)
    np.testing.assert_array_equal(states.legal_action_mask, positions.is_legal)
    assert not states.terminated.any()


@pytest.fixture(scope="module")
def module():
    with jax.numpy_rank_promotion("allow"):
        yield load("pgx_example")


@pytest.fixture(scope="module")
def example(module):
    return module.PgxExample("tic_tac_toe", 4, 0, jax.local_devices()[:2])


def test_values_alternate_until_the_end_of_a_game_and_are_unknown_after_the_last(module):
    reward = jnp.array([0.0, 0.0, 1.0, 0.0, -1.0, 0.0])[:, None]
    ended = jnp.array([False, False, True, False, True, False])[:, None]
    value, is_known = module._targets(reward, ended)
    assert value[:5, 0].tolist() == [1, -1, 1, 1, -1]
    assert is_known[:, 0].tolist() == [True, True, True, True, True, False]


def test_a_game_that_follows_another_one_is_not_searched_as_a_finished_game(module, example):
    states = example.new_games(4).replace(
        terminated=jnp.ones((2, 2), bool), rewards=jnp.ones((2, 2, 2))
    )
    cleared = module._without_result(states)
    assert not cleared.terminated.any()
    assert not cleared.rewards.any()
    assert (cleared.observation == states.observation).all()
