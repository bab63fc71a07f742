"""Training whose searches sample actions: what replay holds, and the case of all actions."""

import dataclasses
import functools

import jax
import numpy as np
import pytest
from trees import assert_same

from azjax.search import Gumbel

from .tiny import CONFIG, legal_at, run, train, without_key

SAMPLED = 3
ITERATIONS = 2


@functools.cache
def trained(sampled_actions):
    search = Gumbel(num_simulations=8, sampled_actions=sampled_actions)
    states, metrics = train(dataclasses.replace(CONFIG, search=search), ITERATIONS)
    return without_key(states[-1]), metrics[-1]


def test_replay_holds_the_weights_of_the_sampled_actions():
    state, metrics = trained(SAMPLED)
    moves = jax.tree.map(lambda x: x[: ITERATIONS * CONFIG.num_moves], state.replay.trajectory)
    weights, legal = moves.action_weights, legal_at(moves.state)
    assert (weights[~legal] == 0).all()
    assert (weights > 0).sum(axis=-1).max() == SAMPLED
    np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=1e-3)
    assert np.isfinite(metrics.loss)


@pytest.mark.slow
def test_with_as_many_as_there_are_training_is_that_of_the_full_search():
    full = run(ITERATIONS)
    assert_same((without_key(full.states[-1]), full.metrics[-1]), trained(9))
