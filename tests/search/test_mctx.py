"""Trees equal those of `mctx.search`, without its copies of finished positions."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import mctx
import numpy as np
import pytest

from azjax.games import make
from azjax.search import (
    SearchConfig,
    SearchHyperparameters,
    SearchResult,
    get_search,
    rules_model,
)
from azjax.search.result import value_of_weights

from .moving_again import Countdown
from .searching import BATCH, EvaluationParams, evaluate, make_search, random_positions

NUM_SIMULATIONS = 48


def search_by_mctx(search, model, config, hyperparameters, params, keys, states):
    """Replaces a `TreeSearch`: runs its selection rules in mctx's loop over the model."""

    def loop(lower, upper, body, carry):
        def simulate(simulation, carry):
            key, trees = body(simulation, carry)
            games, leaf = jnp.arange(len(trees.parents)), simulation + 1
            parent, action = trees.parents[:, leaf], trees.action_from_parent[:, leaf]
            is_copy = trees.embeddings.terminated[games, parent]
            child = jnp.where(is_copy, mctx.Tree.UNVISITED, leaf)
            index = trees.children_index.at[games, parent, action].set(child)
            return key, trees.replace(children_index=index)

        return jax.lax.fori_loop(lower, upper, simulate, carry)

    def alone(trees, node):
        """Returns a node of an unbatched tree as a tree of one node."""
        fields = {
            field.name: jax.tree.map(lambda x: x[node][None], getattr(trees, field.name))
            for field in dataclasses.fields(trees)
            if field.name not in ("root_invalid_actions", "extra_data")
        }
        return trees.replace(**fields)

    extra_data, keys = search.sample_noise(hyperparameters, keys, model.num_actions)
    root = model.root(params, keys, states)
    prior_logits = search.prepare_root(hyperparameters, extra_data, root.prior_logits)
    numbers = config, hyperparameters
    trees = mctx.search(
        params,
        jax.random.key(0),
        root=root.replace(prior_logits=prior_logits),
        recurrent_fn=lambda params, key, action, state: model.recurrent(
            params, keys, action, state
        ),
        root_action_selection_fn=lambda key, trees, node: search.select_at_root(
            *numbers, alone(trees, node), node
        ),
        interior_action_selection_fn=lambda key, trees, node, depth: search.select_at_interior(
            *numbers, alone(trees, node), node
        ),
        num_simulations=config.num_simulations,
        invalid_actions=~model.represent(params, keys, states).legal,
        extra_data=extra_data,
        loop_fn=loop,
    )
    roots = jax.vmap(lambda trees: alone(trees, 0))(trees)
    action, action_weights = search.choose(*numbers, roots)
    summary = roots.summary()
    value = value_of_weights(action_weights, summary.visit_counts, summary.qvalues)
    return SearchResult(action, action_weights, value, trees)


def countdowns():
    game = Countdown()
    keys = jax.random.split(jax.random.key(0), BATCH)
    return game, jax.vmap(game.init)(keys)


CASES = {
    "tic_tac_toe": lambda: (make("tic_tac_toe"), random_positions("tic_tac_toe")),
    "connect_four": lambda: (make("connect_four"), random_positions("connect_four")),
    "moving again": countdowns,
}


SLOW_CASES = ("connect_four", "moving again")


@pytest.mark.parametrize("algorithm", ["gumbel", "puct"])
@pytest.mark.parametrize(
    "case",
    ["tic_tac_toe", *(pytest.param(case, marks=pytest.mark.slow) for case in SLOW_CASES)],
)
def test_trees_are_those_of_mctx(case, algorithm):
    game, states = CASES[case]()
    params = EvaluationParams(np.zeros(game.num_actions, np.float32), np.uint32(0), 0.8, 0.0)
    arguments = SearchHyperparameters(), params, jax.random.split(jax.random.key(1), BATCH), states
    arguments = *jax.tree.map(np.float32, arguments[:1]), *arguments[1:]
    own = jax.jit(make_search(game, algorithm, NUM_SIMULATIONS))(*arguments)
    model = rules_model(game, functools.partial(evaluate, game))
    config = SearchConfig(algorithm, NUM_SIMULATIONS)
    by_mctx = functools.partial(search_by_mctx, get_search(algorithm), model, config)
    theirs = jax.jit(by_mctx)(*arguments)
    np.testing.assert_array_equal(own.action, theirs.action)
    np.testing.assert_allclose(own.action_weights, theirs.action_weights, atol=1e-5)
    np.testing.assert_allclose(own.value, theirs.value, atol=1e-5)
    np.testing.assert_array_equal(own.tree.children_index, theirs.tree.children_index)
    is_edge = np.asarray(own.tree.children_index) >= 0
    assert is_edge.sum() > BATCH * NUM_SIMULATIONS / 3
    for name in ("visits", "rewards", "discounts", "values", "prior_logits"):
        mine, other = (np.asarray(getattr(x.tree, f"children_{name}")) for x in (own, theirs))
        np.testing.assert_allclose(mine[is_edge], other[is_edge], atol=1e-5, err_msg=name)
