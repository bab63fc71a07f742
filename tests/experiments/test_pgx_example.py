"""The loop of Pgx's example: value targets, averaged gradients, games that follow others."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from script_loading import load


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


def test_the_devices_divide_all_sizes(module, monkeypatch):
    monkeypatch.setattr(jax, "local_devices", lambda: list("abcdef"))
    assert module.local_devices(12, 30) == list("abcdef")
    assert module.local_devices(256, 1024) == list("abcd")
    assert module.local_devices(9, 7) == ["a"]


def test_a_game_that_follows_another_one_is_not_searched_as_a_finished_game(module, example):
    states = example.new_games(4).replace(
        terminated=jnp.ones((2, 2), bool), rewards=jnp.ones((2, 2, 2))
    )
    cleared = module._without_result(states)
    assert not cleared.terminated.any()
    assert not cleared.rewards.any()
    assert (cleared.observation == states.observation).all()


@pytest.mark.slow
def test_an_iteration_leaves_the_same_parameters_on_every_device(example):
    learner = example.init(seed=0)
    play = example.selfplay(games=4, moves=5, simulations=2, search="gumbel")
    keys = example.split_key(jax.random.key(1))
    samples = play(learner.model, keys)
    assert samples.observation.shape == (2, 5, 2, 3, 3, 2)
    assert (samples.policy[0] != samples.policy[1]).any()  # each device plays games of its own
    trained = example.compile_iteration(play, learner, 8)(learner, jax.random.key(1))
    for before, after in zip(
        jax.tree.leaves(learner.model.params), jax.tree.leaves(trained.model.params), strict=True
    ):
        np.testing.assert_array_equal(after[0], after[1])
        assert (before != after).any()
    # Statistics of a batch are each device's own, as in the example.
    means = jax.tree.leaves(trained.model.batch_stats)
    assert any((x[0] != x[1]).any() for x in means)
