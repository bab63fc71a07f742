"""Under gating the best network plays, which learning does not change."""

import dataclasses

import jax
import numpy as np
import pytest
from trees import assert_same

from azjax.training import Gating, check_train_config

from . import tiny
from .tiny import CONFIG, start, with_parts

GATED = with_parts(dataclasses.replace(CONFIG, num_updates=2), Gating(games=2))


@pytest.fixture(scope="module")
def gated():
    return start(GATED)


def iterate(state):
    return jax.device_get(tiny.iterate(GATED, state)[0])


def test_the_first_best_network_is_the_first_network(gated):
    assert gated.actor is gated.best
    assert_same(gated.best, gated.learner.ema_variables)


def test_a_state_with_another_network_learns_and_plays_it(gated):
    other = jax.tree.map(lambda x: x + 1.0, gated.best)
    changed = gated.with_network(other)
    networks = (changed.best, changed.learner.variables, changed.learner.ema_variables)
    for network in networks:
        assert_same(network, other)
    assert start().with_network(other).best is None


@pytest.mark.slow
def test_learning_does_not_change_the_best_network(gated):
    after = iterate(gated)
    assert_same(after.best, gated.best)
    before = jax.device_get(gated.learner.ema_variables.params)
    changed = jax.tree.map(lambda x, y: (x != y).any(), before, after.learner.ema_variables.params)
    assert any(jax.tree.leaves(changed))


@pytest.mark.slow
def test_the_best_network_plays_and_the_ema_variables_do_not(gated):
    shifted = jax.tree.map(lambda x: x + 1.0, gated.best)
    other_ema = gated._replace(learner=gated.learner._replace(ema_variables=shifted))
    other_best = gated._replace(best=shifted)
    weights = [
        iterate(state).replay.trajectory.action_weights for state in (gated, other_ema, other_best)
    ]
    np.testing.assert_array_equal(weights[0], weights[1])
    assert np.abs(weights[0] - weights[2]).max() > 0.01


def test_only_one_component_decides_which_network_plays():
    class Another(Gating):
        name = "another"

    with pytest.raises(ValueError, match=r"^parts: gating and another both decide"):
        check_train_config(with_parts(CONFIG, Gating(), Another()))
