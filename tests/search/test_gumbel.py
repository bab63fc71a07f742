"""Gumbel selects at the root by sequential halving, and never by the index of an action."""

import functools

import jax
import mctx
import numpy as np
import pytest

from azjax.search import Gumbel

from .one_node import one_node

ILLEGAL = -1e9
NUM_ACTIONS = 7


def as_mctx_has_it(tree):
    return tree.replace(extra_data=mctx.GumbelMuZeroExtraData(root_gumbel=tree.extra_data))


@functools.cache
def selections(num_simulations, most_considered):
    """Returns azjax's and mctx's rule of selection, from the trees of a node to actions."""
    config = Gumbel(num_simulations=num_simulations, max_num_considered_actions=most_considered)
    theirs = functools.partial(
        mctx.gumbel_muzero_root_action_selection,
        None,
        num_simulations=num_simulations,
        max_num_considered_actions=most_considered,
        qtransform=functools.partial(
            mctx.qtransform_completed_by_mix_value,
            value_scale=config.value_scale,
            maxvisit_init=config.maxvisit_init,
            rescale_values=config.rescale_values,
        ),
    )
    ours = functools.partial(config.select_at_root, index=0)
    return jax.jit(ours), jax.jit(lambda tree: theirs(as_mctx_has_it(tree), 0))


@pytest.mark.parametrize(("num_simulations", "most_considered"), [(9, 16), (50, 5)])
def test_whole_searches_select_as_mctx_does(num_simulations, most_considered):
    ours, theirs = selections(num_simulations, most_considered)
    rng = np.random.default_rng(0)
    for _ in range(5):
        legal = rng.permutation(np.arange(NUM_ACTIONS) < rng.integers(1, NUM_ACTIONS + 1))
        logits = np.where(legal, rng.normal(size=NUM_ACTIONS), ILLEGAL)
        values, visits = rng.uniform(-1, 1, NUM_ACTIONS), np.zeros(NUM_ACTIONS, np.int32)
        for _ in range(num_simulations):
            tree = one_node(logits, visits, values, legal)
            action = int(ours(tree))
            assert action == theirs(tree)
            visits[action] += 1


def test_the_best_open_action_is_selected_if_no_candidate_has_the_visits_that_are_due():
    """With 16 simulations the 13th is one of an action with 3 visits, and here none has them."""
    select, _ = selections(16, NUM_ACTIONS)
    settled = ILLEGAL
    logits = [-3.0, settled, settled, 0.0, -1.0, -2.0, -3.0]
    visits = [1, 2, 2, 4, 1, 1, 1]
    assert select(one_node(logits, visits, np.zeros(NUM_ACTIONS), np.ones(7, bool))) == 3


def test_a_settled_candidate_gives_way_to_the_other_candidates():
    select, _ = selections(16, NUM_ACTIONS)
    visits = [1, 1, 1, 1, 0, 0, 0]
    logits = [0.0, 0.0, 0.0, 0.0, ILLEGAL, -1.0, -0.5]
    assert select(one_node(logits, visits, np.zeros(NUM_ACTIONS), np.ones(7, bool))) == 6
