import jax
import numpy as np
import plain_tic_tac_toe as plain
import pytest
from endless import Endless

from azjax import games
from azjax.evaluation import SolvedPositions, accuracy, choose_actions, network_player, solve
from azjax.evaluation.truth.exploitability import LineCounts, count_lines


def count_in_plain_python(boards, actions):
    chosen = dict(zip(boards, np.asarray(actions).tolist(), strict=True))
    return tuple(LineCounts(*plain.lines(plain.EMPTY, seat, chosen.__getitem__)) for seat in "XO")


def test_accuracy_counts_the_moves_that_keep_the_best_value():
    is_best = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 1], [0, 1, 0]], bool)
    positions = SolvedPositions(None, is_best, is_best, np.arange(4), description="")
    assert accuracy(positions, np.array([0, 1, 2, 1])) == 1.0
    assert accuracy(positions, np.array([1, 1, 1, 1])) == 0.75
    assert accuracy(positions, np.array([2, 2, 0, 0])) == 0.0


@pytest.mark.parametrize("seed", range(2))
def test_any_choice_of_moves_loses_the_lines_that_plain_python_counts(
    tic_tac_toe, legal, unfinished_boards, seed
):
    actions = (np.random.default_rng(seed).random(legal.shape) * legal).argmax(axis=1)
    assert count_lines(tic_tac_toe, actions) == count_in_plain_python(unfinished_boards, actions)


def test_lines_that_are_too_many_for_exact_numbers_are_not_counted():
    game = games.make("coins:coins=127,take=4")
    positions = (~solve(game).states.terminated).sum()
    assert count_lines(game, np.zeros(positions, int)) is None


def test_lines_are_not_counted_where_positions_repeat():
    game = Endless(reward=1)
    actions = np.zeros((~solve(game).states.terminated).sum(), int)
    assert count_lines(game, actions) is None


@pytest.mark.parametrize("size", [1, 7])
def test_one_device_and_two_choose_the_same_for_any_number_of_positions(
    tic_tac_toe, positions, network, size
):
    player = network_player(tic_tac_toe, *network)
    states = jax.tree.map(lambda x: x[:size], positions.states)
    keys = jax.random.split(jax.random.key(0), size)
    one, two = (choose_actions(player, states, keys, devices) for devices in (1, 2))
    assert one.shape == (size,)
    assert one.tolist() == two.tolist()
