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


def test_a_parent_is_above_the_middle_of_its_children(nodes, points):
    for node in nodes:
        below = [points[child.index][0] for child in nodes if child.parent == node.index]
        if below:
            assert points[node.index][0] == (min(below) + max(below)) / 2


def test_lines_lead_from_parents_to_children_and_are_thicker_where_visits_are_more(
    nodes, axes, points
):
    visits_and_widths = []
    for node, line in zip(nodes[1:], axes.lines, strict=True):
        ends = list(zip(*line.get_data(), strict=True))
        assert ends == [points[node.parent], points[node.index]]
        visits_and_widths.append((node.visits, line.get_linewidth()))
    visits, widths = zip(*sorted(visits_and_widths), strict=True)
    assert list(widths) == sorted(widths)
    assert widths[0] < widths[-1]
    assert visits[0] < visits[-1]


def test_wins_and_losses_have_colours_of_their_own_and_ends_a_black_border(nodes, axes):
    boxes = {
        node.index: text.get_bbox_patch() for node, text in zip(nodes, axes.texts, strict=True)
    }
    faces = {}
    for node in nodes:
        faces.setdefault(node.value, set()).add(boxes[node.index].get_facecolor())
        is_black = boxes[node.index].get_edgecolor() == (0, 0, 0, 1)
        assert is_black == bool(node.state.terminated)
    assert all(len(colours) == 1 for colours in faces.values())
    assert faces[1.0] != faces[-1.0]


def test_all_nodes_are_within_the_axes(axes, points):
    x, y = np.array(list(points.values())).T
    assert axes.get_xlim()[0] < x.min() <= x.max() < axes.get_xlim()[1]
    assert axes.get_ylim()[0] < y.min() <= y.max() < axes.get_ylim()[1]
