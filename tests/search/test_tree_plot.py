"""The plot of a tree shows every node once, below its parent."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from azjax.games import make
from azjax.search import inspect_tree
from azjax.search.tree_plot import plot_tree

from .searching import positions, searcher


@pytest.fixture(scope="module")
def game():
    return make("tic_tac_toe")


@pytest.fixture(scope="module")
def nodes(game):
    """Returns a tree with wins, losses and finished positions."""
    find = searcher("tic_tac_toe", "puct")
    return inspect_tree(find(positions(game, "XX./OO./... X"), c_puct=8.0), min_visits=2)


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
    assert axes.texts[0].get_text().splitlines()[:2] == ["root", "129"]
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
