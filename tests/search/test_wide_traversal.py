"""Searches without loops over the depth of trees give what those with loops give."""

import functools

import jax
import numpy as np
import pytest

from azjax.games import make
from azjax.networks import ResNetConfig, make_network
from azjax.search import evaluate_with_network, rules_model, traversal, tree_search
from azjax.support.machine.target import compiling_for

from .searching import (
    EvaluationParams,
    Searcher,
    evaluate,
    make_search,
    random_positions,
    search_game,
)

pytestmark = pytest.mark.slow


class Accelerator:
    platform = "gpu"


VARIED = EvaluationParams(variation=0.7)


def both(monkeypatch, game, algorithm, num_simulations, params=VARIED, **changes):
    """Returns the results of a search with loops and of a wide one."""
    found, wide_paths = [], []
    follow = traversal._follow
    monkeypatch.setattr(
        traversal, "_follow", lambda *trees: wide_paths.append(trees) or follow(*trees)
    )
    for is_cpu in (True, False):
        monkeypatch.setattr(tree_search, "targets_cpu", lambda is_cpu=is_cpu: is_cpu)
        search = Searcher(make(game), make_search(algorithm, num_simulations))
        found.append(search(random_positions(game), params, seed=5, **changes))
        assert bool(wide_paths) == (not is_cpu)
    return found


def test_a_wide_search_goes_on_with_the_same_nodes(monkeypatch):
    game, states = make("tic_tac_toe"), random_positions("tic_tac_toe")
    model = rules_model(game, functools.partial(evaluate, game))
    config, keys = make_search("puct", 32, kept_nodes=16), jax.random.split(jax.random.key(0), 16)
    found = []
    for is_cpu in (True, False):
        monkeypatch.setattr(tree_search, "targets_cpu", lambda is_cpu=is_cpu: is_cpu)
        search = jax.jit(search_game(game))
        kept = config.init_kept(model, VARIED, states)
        first = search(config, VARIED, keys, states, kept=kept)
        later = jax.vmap(game.step)(states, first.action)
        found.append(search(config, VARIED, keys, later, kept=first.kept))
    narrow, wide = found
    assert wide.kept.returns is not None
    np.testing.assert_array_equal(wide.tree.children_visits, narrow.tree.children_visits)
    np.testing.assert_allclose(wide.tree.node_values, narrow.tree.node_values, atol=1e-6)


@pytest.mark.parametrize(
    ("game", "algorithm", "num_simulations"),
    [("tic_tac_toe", "gumbel", 128), ("connect_four", "puct", 32)],
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


def test_members_of_a_population_are_evaluated_each_by_itself():
    game = make("tic_tac_toe")
    network = make_network(ResNetConfig(channels=16, blocks=2), game.observation_shape, 9)
    states = random_positions("tic_tac_toe")
    variables = jax.jit(jax.vmap(network.init))(jax.random.split(jax.random.key(0), 2))

    def evaluate(variables):
        with compiling_for(Accelerator()):
            return evaluate_with_network(game, network)(variables, None, states)

    found = jax.jit(jax.vmap(evaluate))(variables)
    for i in range(2):
        own = jax.jit(evaluate)(jax.tree.map(lambda x, i=i: x[i], variables))
        np.testing.assert_allclose(found.value[i], own.value, atol=1e-6)
        np.testing.assert_allclose(found.prior_logits[i], own.prior_logits, atol=1e-6)
    program = str(jax.make_jaxpr(jax.vmap(evaluate))(variables))
    assert "conv_general_dilated" in program
    assert "feature_group_count=2" not in program
