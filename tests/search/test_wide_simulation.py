"""Searches without loops over the depth of trees give what those with loops give."""

import numpy as np
import pytest

from azjax.games import make
from azjax.search import tree_search

from .searching import EvaluationParams, Searcher, random_positions

VARIED = EvaluationParams(variation=0.7)


def both(monkeypatch, game, algorithm, num_simulations, params=VARIED, **changes):
    """Returns the results of a search with loops and of a wide one."""
    found = []
    for is_cpu in (True, False):
        monkeypatch.setattr(tree_search, "targets_cpu", lambda is_cpu=is_cpu: is_cpu)
        search = Searcher(make(game), algorithm, num_simulations)
        found.append(search(random_positions(game), params, seed=5, **changes))
    return found


@pytest.mark.parametrize(
    ("game", "algorithm", "num_simulations"),
    [
        ("tic_tac_toe", "gumbel", 100),
        ("tic_tac_toe", "uct", 100),
        ("connect_four", "gumbel", 32),
        ("connect_four", "puct", 32),
    ],
)
def test_a_wide_search_builds_the_same_trees(monkeypatch, game, algorithm, num_simulations):
    narrow, wide = both(monkeypatch, game, algorithm, num_simulations, gumbel_scale=1.0)
    np.testing.assert_array_equal(wide.action, narrow.action)
    for field in ("children_index", "parents", "action_from_parent", "node_visits"):
        np.testing.assert_array_equal(getattr(wide.tree, field), getattr(narrow.tree, field))
    np.testing.assert_allclose(wide.tree.node_values, narrow.tree.node_values, atol=1e-6)
    np.testing.assert_allclose(wide.action_weights, narrow.action_weights, atol=1e-5)
    np.testing.assert_allclose(wide.value, narrow.value, atol=1e-6)
    assert (narrow.tree.node_visits > 4).sum() > 50  # paths pass nodes again and again
    is_terminal = narrow.tree.children_discounts == 0
    assert ((narrow.tree.children_visits > 2) & is_terminal).any()  # and end at terminal ones
