"""The views that values are from: signs, discounts, rewards."""

import jax
import numpy as np
import pytest

from .moving_again import KEEP, PASS, Countdown
from .searching import (
    EvaluationParams,
    countdown_searcher,
    edge_qvalues,
    positions,
    random_positions,
    searcher,
    states_at,
    walk,
)

WON = ("XX./XOO/.O. X", "OO./OXX/.XX O", "XX./OO./... X")  # by every move, or by one only
LOST = ("XOX/.../X.O O", "OO./OXX/.X. X")
COUNTDOWN_FROM = np.array([1, 2, 3, 4])


@pytest.fixture(scope="module")
def countdown():
    start = jax.tree.map(np.asarray, Countdown().init(None))
    states = jax.tree.map(lambda x: np.resize(x, (4, *x.shape)), start)
    find = countdown_searcher("puct")
    return find(states._replace(left=COUNTDOWN_FROM.astype(np.int32)), c_puct=4.0)


def test_a_won_position_is_worth_plus_one_to_either_mover_and_a_lost_one_minus_one(
    find_tic_tac_toe,
):
    result = find_tic_tac_toe(positions(find_tic_tac_toe.game, *WON, *LOST))
    assert (result.value[: len(WON)] > 0.7).all()
    assert (result.value[len(WON) :] < -0.7).all()


def test_the_value_is_the_mean_of_q_values_by_action_weights(find_tic_tac_toe):
    """Under Gumbel it is not the mean over simulations, many of which try moves of no weight."""
    states = random_positions("tic_tac_toe")
    result = find_tic_tac_toe(states, EvaluationParams(variation=0.5))
    visits = result.tree.children_visits[:, 0]
    qvalues = edge_qvalues(result.tree)
    weights = np.where(visits > 0, result.action_weights, 0)
    expected = (weights * qvalues[:, 0]).sum(axis=1) / weights.sum(axis=1)
    np.testing.assert_allclose(result.value, expected, atol=1e-5)


def test_the_value_is_finite_where_visited_actions_have_no_weight():
    states = random_positions("tic_tac_toe")
    find = searcher("tic_tac_toe", "gumbel", 1)
    result = find(states, EvaluationParams(variation=0.9), value_scale=50.0)
    visited = result.tree.children_visits[:, 0] > 0
    qvalues = edge_qvalues(result.tree)
    assert (result.action_weights[visited] == 0).any()
    np.testing.assert_allclose(result.value, qvalues[:, 0][visited], atol=1e-6)


def test_the_winning_move_has_value_plus_one_and_the_reply_to_a_blunder_minus_one(find_tic_tac_toe):
    tree = find_tic_tac_toe(positions(find_tic_tac_toe.game, "XX./OO./... X"), c_puct=8.0).tree
    qvalues = edge_qvalues(tree)
    assert qvalues[0, 0, 2] == 1  # wins
    assert abs(qvalues[0, 0, 5]) < 0.5  # blocks
    blunder = tree.children_index[0, 0, 8]
    assert qvalues[0, blunder, 5] == 1  # the reply wins for its mover
    assert qvalues[0, 0, 8] < 0


def test_moving_again_keeps_the_sign_of_the_value(countdown):
    tree = countdown.tree
    qvalues = edge_qvalues(tree)[:, 0]
    assert (qvalues[0] == 1).all()  # the last move wins
    assert (qvalues[1:, KEEP] > 0).all()
    assert (qvalues[1:, PASS] < 0).all()
    assert (countdown.action[1:] == KEEP).all()
    assert (countdown.value >= 0).all()


def test_discounts_are_plus_one_where_the_mover_moves_again(countdown):
    tree, edges = countdown.tree, walk(countdown.tree)
    finished = states_at(tree, edges.tree, edges.child).terminated
    expected = np.where(finished, 0.0, np.where(edges.action == KEEP, 1.0, -1.0))
    np.testing.assert_array_equal(
        tree.children_discounts[edges.tree, edges.parent, edges.action], expected
    )
    assert set(expected) == {-1.0, 0.0, 1.0}
    assert (tree.children_rewards[edges.tree, edges.parent, edges.action] == finished).all()
