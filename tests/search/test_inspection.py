"""The inspection of roots and trees shows what the search computed."""

import jax
import mctx
import numpy as np
import pytest
from trees import assert_same

from azjax.search import inspect_roots, inspect_tree

from .searching import EvaluationParams, legal_actions, random_positions, step

PARAMS = EvaluationParams(variation=0.9)
FEW_VISITS = 8
INDEX = 9  # of a position late enough for ends of the game and early enough for a large tree


@pytest.fixture(scope="module")
def states(find):
    return random_positions(find.game.name)


@pytest.fixture(scope="module")
def result(find, states):
    return find(states, PARAMS)


@pytest.fixture(scope="module")
def nodes(result):
    return inspect_tree(result, INDEX)


def test_the_prior_is_a_distribution_over_the_legal_actions(find, states, result):
    prior = inspect_roots(result).prior
    np.testing.assert_allclose(prior.sum(axis=1), 1, atol=1e-6)
    assert (prior[~legal_actions(find.game, states)] == 0).all()
    assert prior.max() > 1.5 * prior[prior > 0].min()  # not uniform


def test_only_visited_actions_have_a_q_value(result):
    roots = inspect_roots(result)
    np.testing.assert_array_equal(np.isnan(roots.qvalues), roots.visits == 0)
    assert (roots.visits == 0).any()
    assert (np.nan_to_num(abs(roots.qvalues)) <= 1).all()


def test_completed_q_values_are_those_of_mctx(find, states, result):
    def complete(tree):
        return mctx.qtransform_completed_by_mix_value(
            tree, tree.ROOT_INDEX, value_scale=1.0, maxvisit_init=1.0, rescale_values=False
        )

    scale = 1 + result.tree.children_visits[:, 0].max(axis=1, keepdims=True)
    expected = np.array(jax.jit(jax.vmap(complete))(result.tree) / scale)
    expected[~legal_actions(find.game, states)] = np.nan
    np.testing.assert_allclose(inspect_roots(result).completed_qvalues, expected, atol=1e-5)


def test_the_root_comes_first_and_every_parent_before_its_children(nodes):
    root = nodes[0]
    assert (root.index, root.parent, root.action, root.depth) == (0, None, None, 0)
    known = {0: 0}
    for node in nodes[1:]:
        assert node.depth == known[node.parent] + 1
        known[node.index] = node.depth
    assert len(known) == len(nodes) > FEW_VISITS


def test_a_node_holds_the_position_after_its_action(find, nodes):
    by_index = {node.index: node for node in nodes}
    children = nodes[1:]
    parents = [by_index[node.parent].state for node in children]
    stacked = jax.tree.map(lambda *x: np.stack(x), *parents)
    after = step(find.game, stacked, np.array([node.action for node in children]))
    assert_same(after, jax.tree.map(lambda *x: np.stack(x), *(node.state for node in children)))


def test_all_values_are_from_the_view_of_who_moves_at_the_root(result, nodes):
    """So a value is the mean of the children's and the evaluation, without sign changes."""
    mover = int(nodes[0].state.current_player)
    for node in nodes:
        if node.state.terminated:
            assert node.value == node.state.rewards[mover]
            continue
        sign = 1 if node.state.current_player == mover else -1
        below = [child for child in nodes if child.parent == node.index]
        total = sign * result.tree.raw_values[INDEX, node.index]
        total += sum(child.visits * child.value for child in below)
        assert node.visits == 1 + sum(child.visits for child in below)
        assert node.value == pytest.approx(total / node.visits, abs=2e-5)


def test_the_children_of_the_root_have_its_q_values(result, nodes):
    roots = inspect_roots(result)
    children = [node for node in nodes if node.depth == 1]
    assert len(children) == (roots.visits[INDEX] > 0).sum()
    for node in children:
        assert node.visits == roots.visits[INDEX, node.action]
        assert node.value == pytest.approx(roots.qvalues[INDEX, node.action], abs=1e-6)


def test_nodes_of_few_visits_are_left_out(result, nodes):
    some = inspect_tree(result, INDEX, min_visits=FEW_VISITS)
    assert [node.index for node in some] == [n.index for n in nodes if n.visits >= FEW_VISITS]
    assert 1 < len(some) < len(nodes)
