"""Trees are those that `mctx.search` grows, without what it hangs under finished positions."""

import dataclasses

import jax
import jax.numpy as jnp
import mctx
import numpy as np
import pytest

from azjax.games import make
from azjax.search import SearchHyperparameters, simulation
from azjax.search import gumbel as gumbel_module
from azjax.search import puct as puct_module

from .moving_again import Countdown
from .searching import BATCH, Taste, make_search, random_positions

NUM_SIMULATIONS = 48


def grow_tree_by_mctx(
    game,
    evaluate,
    parameters,
    keys,
    states,
    *,
    prepare_root=lambda prior_logits: prior_logits,
    select_at_root,
    select_inside,
    num_simulations,
    extra_data=None,
):
    """Stands for `grow_tree`."""

    def recurrent_fn(parameters, key, action, states):
        after = jax.vmap(game.step)(states, action)
        prior_logits, value = evaluate(parameters, keys, after)
        reward = jnp.where(states.terminated, 0.0, simulation.reward_of_mover(states, after))
        value = jnp.where(after.terminated, 0.0, value)
        discount = simulation.discount_of_mover(states, after)
        output = mctx.RecurrentFnOutput(
            reward=reward, discount=discount, prior_logits=prior_logits, value=value
        )
        return output, after

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

    prior_logits, value = evaluate(parameters, keys, states)
    grown = mctx.search(
        parameters,
        jax.random.key(0),
        root=mctx.RootFnOutput(
            prior_logits=prepare_root(prior_logits), value=value, embedding=states
        ),
        recurrent_fn=recurrent_fn,
        root_action_selection_fn=lambda key, trees, node: select_at_root(alone(trees, node), node),
        interior_action_selection_fn=lambda key, trees, node, depth: select_inside(
            alone(trees, node), node
        ),
        num_simulations=num_simulations,
        invalid_actions=~jax.vmap(game.legal_action_mask)(states),
        extra_data=extra_data,
        loop_fn=loop,
    )
    roots = jax.vmap(lambda trees: alone(trees, 0))(grown)
    return simulation.Grown(root=roots, tree=grown)


def countdowns():
    game = Countdown()
    keys = jax.random.split(jax.random.key(0), BATCH)
    return game, jax.vmap(game.init)(keys)


CASES = {
    "tic_tac_toe": lambda: (make("tic_tac_toe"), random_positions("tic_tac_toe")),
    "connect_four": lambda: (make("connect_four"), random_positions("connect_four")),
    "moving again": countdowns,
}


@pytest.mark.parametrize("algorithm", ["gumbel", "puct"])
@pytest.mark.parametrize("case", CASES)
def test_trees_are_those_of_mctx(monkeypatch, case, algorithm):
    game, states = CASES[case]()
    taste = Taste(np.zeros(game.num_actions, np.float32), np.uint32(0), 0.8, 0.0)
    arguments = SearchHyperparameters(), taste, jax.random.split(jax.random.key(1), BATCH), states
    arguments = *jax.tree.map(np.float32, arguments[:1]), *arguments[1:]
    own = jax.jit(make_search(game, algorithm, NUM_SIMULATIONS))(*arguments)
    for module in (gumbel_module, puct_module):
        monkeypatch.setattr(module, "grow_tree", grow_tree_by_mctx)
    theirs = jax.jit(make_search(game, algorithm, NUM_SIMULATIONS))(*arguments)
    np.testing.assert_array_equal(own.action, theirs.action)
    np.testing.assert_allclose(own.action_weights, theirs.action_weights, atol=1e-5)
    np.testing.assert_allclose(own.value, theirs.value, atol=1e-5)
    np.testing.assert_array_equal(own.tree.children_index, theirs.tree.children_index)
    is_edge = np.asarray(own.tree.children_index) >= 0
    assert is_edge.sum() > BATCH * NUM_SIMULATIONS / 3
    for name in ("visits", "rewards", "discounts", "values", "prior_logits"):
        mine, other = (np.asarray(getattr(x.tree, f"children_{name}")) for x in (own, theirs))
        np.testing.assert_allclose(mine[is_edge], other[is_edge], atol=1e-5, err_msg=name)
