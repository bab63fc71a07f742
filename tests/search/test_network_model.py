"""How leaves are valued: by a network, by rollouts, or by a mixture."""

import functools

import jax
import numpy as np
import pytest

from azjax.games import make
from azjax.networks import MLPConfig, make_network
from azjax.search import network_model

GAME, BATCH = make("tic_tac_toe"), 64


@functools.cache
def values(value_head, rollout_weight):
    """Returns [B]: the values of the first position, each with another key."""
    config = MLPConfig(channels=16, blocks=1, value_head=value_head)
    network = make_network(config, GAME.observation_shape, GAME.num_actions)
    states = jax.vmap(GAME.init)(jax.random.split(jax.random.key(0), BATCH))
    keys = jax.random.split(jax.random.key(1), BATCH)
    model = network_model(GAME, network, rollout_weight)
    variables = jax.jit(network.init)(jax.random.key(2))
    return np.asarray(jax.jit(model.predict)(variables, keys, states).value)


@pytest.mark.parametrize("weight", [None, 0.5])
def test_without_values_of_the_network_rollouts_alone_count(weight):
    assert {*values("none", weight)} == {-1, 0, 1}


def test_values_of_the_network_are_mixed_with_rollouts_by_their_weight():
    network, mixed = (values("scalar", weight) for weight in (None, 0.25))
    rollouts = values("none", None)
    assert len({*network}) == 1
    np.testing.assert_allclose(mixed, 0.75 * network + 0.25 * rollouts, atol=1e-6)
