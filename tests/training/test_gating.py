"""Under gating the best network plays, which learning does not change."""

import dataclasses

import jax
import numpy as np
import pytest
from trees import assert_same, leaves

from azjax.training import Gating, check_train_config

from . import tiny
from .tiny import CONFIG, start, with_parts

GATED = with_parts(dataclasses.replace(CONFIG, num_updates=2), Gating(games=2))


@pytest.fixture(scope="module")
def gated():
    return start(GATED)


def iterate(state):
    return jax.device_get(tiny.iterate(GATED, state)[0])


def test_a_state_with_another_network_learns_and_plays_it(gated):
    assert gated.actor is gated.best
    assert_same(gated.best, gated.learner.ema_variables)
    other = jax.tree.map(lambda x: x + 1.0, gated.best)
    changed = gated.with_network(other)
    networks = (changed.best, changed.learner.variables, changed.learner.ema_variables)
    for network in networks:
        assert_same(network, other)
    assert start().with_network(other).best is None


@pytest.mark.slow
def test_the_best_network_plays_and_learning_changes_the_ema_variables_alone(gated):
    shifted = jax.tree.map(lambda x: x + 1.0, gated.best)
    other_ema = gated._replace(learner=gated.learner._replace(ema_variables=shifted))
    states = [iterate(state) for state in (gated, other_ema, gated._replace(best=shifted))]
    weights = [state.replay.trajectory.action_weights for state in states]
    np.testing.assert_array_equal(weights[0], weights[1])
    assert np.abs(weights[0] - weights[2]).max() > 0.01
    assert_same(states[0].best, gated.best)
    assert leaves(states[0].learner.ema_variables) != leaves(gated.best)


def test_only_one_component_decides_which_network_plays():
    class Another(Gating):
        name = "another"

    with pytest.raises(ValueError, match=r"^parts: gating and another both have match"):
        check_train_config(with_parts(CONFIG, Gating(), Another()))
