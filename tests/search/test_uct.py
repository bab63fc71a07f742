"""UCT: it ignores priors, and visits every action once, in random order, before any twice."""

import numpy as np
import pytest
from trees import assert_same

from .searching import EvaluationParams, edge_qvalues, legal_actions, random_positions, searcher

PARAMS = EvaluationParams(variation=0.5)


@pytest.fixture(scope="module")
def find():
    return searcher("tic_tac_toe", "uct")


@pytest.fixture(scope="module")
def states():
    return random_positions("tic_tac_toe")


def test_every_legal_action_is_visited_once_before_any_is_visited_twice(find, states):
    """Node i is the leaf of simulation i, so that the first nodes are the root's children."""
    children = find(states, PARAMS).tree.children_index[:, 0]
    for row, legal in zip(children, legal_actions(find.game, states), strict=True):
        assert sorted(row[legal]) == list(range(1, legal.sum() + 1))


def test_the_prior_does_not_matter(find, states):
    with_prior = EvaluationParams(np.linspace(-3, 3, 9), variation=0.0)
    assert_same(find(states).action_weights, find(states, with_prior).action_weights)


def test_weights_are_visit_fractions_and_the_best_of_the_most_visited_is_played(find, states):
    result = find(states, PARAMS)
    tree = result.tree
    visits = tree.children_visits[:, 0]
    np.testing.assert_allclose(result.action_weights, visits / find.num_simulations, atol=1e-6)
    qvalues = edge_qvalues(tree)
    most = visits == visits.max(axis=1, keepdims=True)
    expected = np.where(most, qvalues[:, 0], -np.inf).argmax(axis=1)
    np.testing.assert_array_equal(result.action, expected)


def test_more_exploration_spreads_the_visits(find, states):
    greedy, curious = (
        find(states, PARAMS, c_uct=c).action_weights.max(axis=1) for c in (0.1, 20.0)
    )
    assert (greedy >= curious).all()
    assert greedy.mean() > curious.mean() + 0.2
    assert find.compiled._cache_size() == 1
