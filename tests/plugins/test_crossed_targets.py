"""Targets of one search under the selection of another."""

import importlib
import pathlib
import sys

import numpy as np
import pytest
from search.searching import EvaluationParams, Searcher, edge_qvalues, make_search, random_positions

from azjax.games import make

PARAMS = EvaluationParams(variation=0.9)


@pytest.fixture
def plugin(monkeypatch, registrations):
    """Returns the module, whose searches are registered for the test alone."""
    monkeypatch.syspath_prepend(pathlib.Path(__file__).parent)
    yield importlib.import_module("crossed_targets")
    sys.modules.pop("crossed_targets")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("crossed", "search"),
    [
        ("gumbel_visits", "gumbel"),
        ("puct_new_visits", "puct_strong"),
        ("puct_completed_q", "puct_strong"),
    ],
)
def test_the_search_is_the_same_and_the_target_another(plugin, crossed, search):
    states = random_positions("tic_tac_toe")
    ours, theirs = (
        Searcher(make("tic_tac_toe"), make_search(name, 16))(states, PARAMS)
        for name in (crossed, search)
    )
    np.testing.assert_array_equal(ours.tree.children_visits, theirs.tree.children_visits)
    np.testing.assert_array_equal(ours.action, theirs.action)
    is_other = crossed != "puct_new_visits"  # which differs where trees are kept
    assert (np.abs(ours.action_weights - theirs.action_weights).max() > 0.05) == is_other
    np.testing.assert_allclose(ours.action_weights.sum(axis=1), 1, atol=1e-5)
    visits = ours.tree.children_visits[:, 0]
    if crossed != "puct_completed_q":
        np.testing.assert_allclose(ours.action_weights * 16, visits, atol=1e-4)
    else:  # the best action found gains
        best = np.where(visits > 0, edge_qvalues(ours.tree)[:, 0], -2).argmax(axis=1)[:, None]
        prior = np.exp(ours.prior_logits)
        gain = ours.action_weights - prior / prior.sum(axis=1, keepdims=True)
        assert (np.take_along_axis(gain, best, axis=1) > -1e-6).all()
