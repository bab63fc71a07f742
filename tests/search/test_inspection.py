"""The inspection of roots and trees shows what the search computed."""

import jax
import mctx
import numpy as np
import pytest
from trees import assert_same

from azjax.search import inspect_roots, inspect_tree

from .moving_again import KEEP, PASS, Countdown
from .searching import (
    EvaluationParams,
    countdown_searcher,
    legal_actions,
    positions,
    random_positions,
    searcher,
    step,
)

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


def test_the_prior_is_shown_with_its_noise():
    find = searcher("tic_tac_toe", "puct")
    start = positions(find.game, ".../.../... X")
    quiet, noisy = (inspect_roots(find(start, dirichlet_fraction=f)).prior for f in (0.0, 0.25))
    np.testing.assert_allclose(quiet, 1 / 9, atol=1e-6)
    assert (abs(noisy - 1 / 9) > 1e-3).any()


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


def test_nothing_is_compiled_to_read_a_batch_of_another_size(result):
    few, events = jax.tree.map(lambda x: x[:3], jax.device_get(result)), []

    def note(event, *_, **__):
        events.append(event)

    jax.monitoring.register_event_duration_secs_listener(note)
    try:
        assert inspect_roots(few).visits.shape[0] == 3
    finally:
        jax.monitoring.unregister_event_duration_listener(note)
    assert not events


def test_gumbel_s_policy_is_that_of_prior_and_completed_q_values():
    find = searcher("tic_tac_toe", "gumbel")
    roots = inspect_roots(find(positions(find.game, ".../.../... X"), PARAMS))
    numbers = find.config
    completed = roots.completed_qvalues
    lowest, highest = completed.min(axis=1), completed.max(axis=1)
    rescaled = (completed - lowest[:, None]) / (highest - lowest)[:, None]
    scale = (numbers.maxvisit_init + roots.visits.max(axis=1)) * numbers.value_scale
    logits = np.log(roots.prior) + scale[:, None] * rescaled
    improved = np.exp(logits - logits.max(axis=1, keepdims=True))
    improved /= improved.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(roots.action_weights, improved, atol=1e-4)


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


def test_moving_again_keeps_the_sign():
    start = jax.tree.map(lambda x: np.asarray(x)[None], Countdown().init(None))
    nodes = inspect_tree(countdown_searcher("puct")(start._replace(left=np.int32([3])), c_puct=4.0))
    values = {node.action: node.value for node in nodes if node.depth == 1}
    assert values[KEEP] > 0 > values[PASS]


def test_nodes_of_few_visits_are_left_out(result, nodes):
    some = inspect_tree(result, INDEX, min_visits=FEW_VISITS)
    assert [node.index for node in some] == [n.index for n in nodes if n.visits >= FEW_VISITS]
    assert 1 < len(some) < len(nodes)


def test_each_search_has_its_own_tree(result, states):
    for index in (1, 5):
        nodes = inspect_tree(result, index)
        assert_same(nodes[0].state, jax.tree.map(lambda x, i=index: x[i], states))
        assert nodes[0].value == pytest.approx(result.tree.node_values[index, 0], abs=1e-6)
