"""The search that weighs a prior against the mean of rollouts."""

import jax
import numpy as np
import pytest

from azjax.search import PolicyRollouts

from .one_node import one_node

ILLEGAL = -1e9


@jax.jit
def select(search, tree):
    return search.select_at_root(tree, 0)


@pytest.mark.parametrize("weight", [0.0, 0.5, 0.9])
def test_the_score_is_that_of_the_tutorial(weight):
    search, rng = PolicyRollouts(prior_weight=weight), np.random.default_rng(0)
    for _ in range(50):
        logits, values = rng.normal(size=5), rng.uniform(-1, 1, 5)
        visits = rng.integers(0, 4, 5)
        prior = np.exp(logits) / np.exp(logits).sum()
        scores = weight * prior / (1 + visits) + (1 - weight) * np.where(visits > 0, values, 0)
        best = np.flatnonzero(scores >= scores.max() - 1e-6)
        assert select(search, one_node(logits, visits, values)) in best


def test_an_illegal_action_is_never_selected():
    tree = one_node([ILLEGAL, 0.0, 0.0], [0, 3, 3], [0.0, -1.0, -0.9])
    assert select(PolicyRollouts(), tree) == 2
