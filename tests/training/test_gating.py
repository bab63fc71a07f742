"""Under gating the champion plays, which learning does not change."""

import dataclasses

import jax
import numpy as np
import pytest
from trees import assert_same

from .tiny import CONFIG, HYPERPARAMETERS, SHARE, as_float32, compiled, start

GATED = dataclasses.replace(CONFIG, gating_games=2, num_updates=2)


@pytest.fixture(scope="module")
def gated():
    return compiled(GATED).init(as_float32(HYPERPARAMETERS), jax.random.key(0))


def iterate(state):
    return jax.device_get(compiled(GATED).iterate(as_float32(HYPERPARAMETERS), state, SHARE)[0])


def test_the_first_champion_is_the_first_network(gated):
    assert gated.acting is gated.champion
    assert_same(gated.champion, gated.learner.ema_variables)


def test_a_state_with_another_network_learns_and_plays_it(gated):
    other = jax.tree.map(lambda x: x + 1.0, gated.champion)
    changed = gated.with_network(other)
    networks = (changed.champion, changed.learner.variables, changed.learner.ema_variables)
    for network in networks:
        assert_same(network, other)
    assert start().with_network(other).champion is None


@pytest.mark.slow
def test_learning_does_not_change_the_champion(gated):
    after = iterate(gated)
    assert_same(after.champion, gated.champion)
    before = jax.device_get(gated.learner.ema_variables.params)
    changed = jax.tree.map(lambda x, y: (x != y).any(), before, after.learner.ema_variables.params)
    assert any(jax.tree.leaves(changed))


@pytest.mark.slow
def test_the_champion_plays_and_the_ema_variables_do_not(gated):
    shifted = jax.tree.map(lambda x: x + 1.0, gated.champion)
    other_ema = gated._replace(learner=gated.learner._replace(ema_variables=shifted))
    other_champion = gated._replace(champion=shifted)
    weights = [
        iterate(state).replay.trajectory.action_weights
        for state in (gated, other_ema, other_champion)
    ]
    np.testing.assert_array_equal(weights[0], weights[1])
    assert np.abs(weights[0] - weights[2]).max() > 0.01
