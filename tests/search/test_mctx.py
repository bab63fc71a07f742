"""azjax's searches find the trees of mctx's own policies, and mctx's keep the rules of a search."""

import functools

import jax
import numpy as np
import pytest

from .moving_again import Countdown
from .searching import (
    BATCH,
    EvaluationParams,
    countdown_searcher,
    legal_actions,
    random_positions,
    searcher,
    states_at,
    walk,
)

PARAMS = EvaluationParams(variation=0.8)  # so that no two actions are equally good
NOISE = {"gumbel_scale": 1.0, "dirichlet_fraction": 0.25}
MOVING_AGAIN = "moving again"


@functools.cache
def keys():
    return jax.random.split(jax.random.key(1), BATCH)


def make_searcher(case, algorithm):
    if case == MOVING_AGAIN:
        return countdown_searcher(algorithm)
    return searcher(case, algorithm)


def positions_of(case):
    if case == MOVING_AGAIN:
        return jax.vmap(Countdown().init)(keys())
    return random_positions(case)


def keys_of_same_noise(algorithm):
    """Returns the keys by which azjax samples the noise that mctx samples by `keys`."""
    return jax.vmap(jax.random.split)(keys())[:, 1] if algorithm == "gumbel" else keys()


@pytest.mark.parametrize(
    ("case", "algorithm"),
    [
        ("tic_tac_toe", "gumbel"),
        ("tic_tac_toe", "puct"),
        pytest.param(MOVING_AGAIN, "puct", marks=pytest.mark.slow),
    ],
)
def test_trees_are_those_of_mctx(case, algorithm):
    states, own_keys = positions_of(case), keys_of_same_noise(algorithm)
    own = make_searcher(case, algorithm)(states, PARAMS, keys=own_keys, **NOISE)
    theirs = make_searcher(case, f"mctx_{algorithm}")(states, PARAMS, keys=keys(), **NOISE)
    root_visits = own.tree.children_visits[:, 0]
    np.testing.assert_array_equal(own.tree.children_visits, theirs.tree.children_visits)
    is_most_visited = root_visits == root_visits.max(axis=1, keepdims=True)
    is_decided = (is_most_visited.sum(axis=1) == 1) | (algorithm == "gumbel")  # else a tie
    np.testing.assert_array_equal(own.action[is_decided], theirs.action[is_decided])
    assert is_decided.sum() > BATCH / 2
    np.testing.assert_array_equal(own.tree.children_index, theirs.tree.children_index)
    for name in ("prior_logits", "action_weights", "value"):
        mine, other = getattr(own, name), getattr(theirs, name)
        np.testing.assert_allclose(mine, other, atol=1e-5, err_msg=name)
    is_edge = own.tree.children_index >= 0
    assert is_edge.sum() > BATCH * 16
    for name in ("rewards", "discounts", "values"):
        mine, other = (getattr(x.tree, f"children_{name}")[is_edge] for x in (own, theirs))
        np.testing.assert_allclose(mine, other, atol=1e-5, err_msg=name)


def test_mctx_selects_no_illegal_action_where_no_score_tells_actions_apart():
    find, states = searcher("tic_tac_toe", "mctx_puct"), random_positions("tic_tac_toe")
    tree = find(states, c_puct=0.0, c_puct_base=1e9).tree
    edges = walk(tree)
    legal = legal_actions(find.game, states_at(tree, edges.tree, edges.parent))
    assert legal[np.arange(len(legal)), edges.action].all()
