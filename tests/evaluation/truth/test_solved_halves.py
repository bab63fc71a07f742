"""The half of the solved positions that chooses, the half that reports, and their baselines."""

import jax
import numpy as np
import pytest

from azjax import games
from azjax.evaluation import AccuracyCheck, Choices, SearchAgent, find_positions
from azjax.evaluation.truth.solved_positions import make_solved_positions
from azjax.search import PUCT, evaluate_with_network

COINS = games.make("coins")  # action a takes a + 1
TEXTS = ("5 X", "4 O", "2 X", "1 O")
BEST = np.array([[False, True], [True, False], [True, True], [True, False]])


@pytest.fixture(scope="module")
def four():
    states = [COINS.parse_state(text) for text in TEXTS]
    return make_solved_positions(COINS, jax.tree.map(lambda *x: np.stack(x), *states), BEST, "four")


def test_every_position_is_in_one_half_and_both_are_alike_in_size(positions):
    chooses = positions.in_validation
    assert 0.49 * len(chooses) < chooses.sum() <= len(chooses) / 2
    both = [positions.take(half).is_best for half in (chooses, ~chooses)]
    assert sum(map(len, both)) == len(positions.is_best)


def test_images_under_the_symmetries_are_in_one_half(positions, unfinished_boards):
    half = dict(zip(unfinished_boards, positions.in_validation.tolist(), strict=True))
    turned = {board: board[::-1] for board in unfinished_boards}
    mirrored = {board: board[6:] + board[3:6] + board[:3] for board in unfinished_boards}
    for images in (turned, mirrored):
        assert all(half[board] == half[image] for board, image in images.items())


def test_the_halves_are_the_same_in_every_version():
    positions = find_positions(games.make("connect_four"))
    first = np.flatnonzero(positions.in_validation)[:8]
    assert first.tolist() == [2, 5, 6, 7, 12, 13, 16, 17]


def test_random_play_has_the_mean_share_of_best_moves(four):
    assert four.is_legal.sum(axis=1).tolist() == [2, 2, 2, 1]
    assert four.random == (0.5 + 0.5 + 1 + 1) / 4
    assert four.choice_matters == 2 / 4  # not where both moves keep the value, or one is legal


def test_the_halves_together_are_the_whole(four, network):
    check = AccuracyCheck(SearchAgent(COINS, network[0], search_config=None), four, num_devices=1)
    chooses = four.in_validation
    found = check.measure(Choices(np.array([1, 1, 0, 0]), np.array([0, 1, 0, 0])))
    assert (found.positions, found.network, found.search) == (4, 0.75, 0.5)
    assert (found.validation.positions, found.test.positions) == (2, 2)
    right = np.array([False, False, True, True])
    assert found.validation.search == right[chooses].mean()
    assert found.test.search == right[~chooses].mean()
    assert (found.random, found.choice_matters) == (0.75, 0.5)
    assert found.test.random == four.take(~chooses).random
    assert "(random play 75%)" in repr(found)


def test_without_a_half_that_chooses_there_is_no_accuracy_of_it(four, network):
    check = AccuracyCheck(
        SearchAgent(COINS, network[0], search_config=None), four.take(np.array([0])), num_devices=1
    )
    found = check.measure(Choices(np.array([1]), np.array([0])))
    assert found.validation is None
    assert (found.test.positions, found.test.network, found.test.search) == (1, 1.0, 0.0)


def test_where_no_moves_are_known_the_nearest_value_is_asked_for(tic_tac_toe, network, positions):
    made, variables = network
    large = jax.tree.map(lambda x: 9 * x, variables)
    some = positions.take(np.arange(0, 4520, 100))._replace(has_actions=False)
    agent = SearchAgent(tic_tac_toe, made, PUCT(num_simulations=2))
    choices = AccuracyCheck(agent, some, num_devices=1).choose(large)
    evaluate = jax.jit(evaluate_with_network(tic_tac_toe, made))
    values = np.asarray(evaluate(large, None, some.states).value)
    assert choices.by_network.tolist() == (1 + np.round(values)).tolist()
    assert set(choices.by_network.tolist()) == {0, 1, 2}
    assert (choices.by_network == choices.by_search).mean() > 0.5
