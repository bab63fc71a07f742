"""The plot of a tree shows every node once, below its parent."""

import functools

import jax
import numpy as np
import pytest
from matplotlib.figure import Figure

from azjax.games import make
from azjax.search import (
    SearchConfig,
    SearchHyperparameters,
    evaluate_with_rollouts,
    inspect_tree,
    rules_model,
    search,
)
from azjax.search.tree_plot import plot_tree


@pytest.fixture(scope="module")
def game():
    return make("tic_tac_toe")


@pytest.fixture(scope="module")
def nodes(game):
    """Returns a tree with wins, losses and finished positions."""
    find = functools.partial(
        search,
        rules_model(game, evaluate_with_rollouts(game)),
        SearchConfig("puct", num_simulations=48),
    )
    states = jax.tree.map(lambda x: np.asarray(x)[None], game.parse_state("XX./OO./... X"))
    keys = jax.random.split(jax.random.key(0), 1)
    return inspect_tree(jax.jit(find)(SearchHyperparameters(c_puct=8.0), (), keys, states))


@pytest.fixture(scope="module")
def axes(game, nodes):
    axes = Figure().subplots()
    plot_tree(axes, game, nodes)
    return axes


@pytest.fixture(scope="module")
def points(nodes, axes):
    """Returns the coordinates of each node; texts are in the order of the nodes."""
    return {node.index: text.get_position() for node, text in zip(nodes, axes.texts, strict=True)}


def test_a_node_shows_its_move_visits_and_value(game, nodes, axes):
    assert axes.texts[0].get_text().splitlines()[:2] == ["root", "49"]
    for node, text in zip(nodes[1:], axes.texts[1:], strict=True):
        move, visits, value = text.get_text().splitlines()
        assert game.parse_action(move) == node.action
        assert int(visits) == node.visits
        assert float(value) == pytest.approx(node.value, abs=0.0051)


def test_deeper_nodes_are_lower_and_none_overlap(nodes, points):
    assert len(nodes) > 20
    assert all(points[node.index][1] == -node.depth for node in nodes)
    for depth in {node.depth for node in nodes}:
        across = sorted(points[node.index][0] for node in nodes if node.depth == depth)
        assert (np.diff(across) >= 1).all()
