import jax
import numpy as np
import pytest

from azjax.evaluation import Choices, find_errors
from azjax.evaluation.truth.solved_positions import make_solved_positions
from azjax.games import make

GAME = make("coins")  # action a takes a + 1
COINS = ("5 X", "4 O", "2 X", "1 O")
BEST = [[False, True], [True, False], [False, True], [True, False]]


@pytest.fixture(scope="module")
def positions():
    states = [GAME.parse_state(text) for text in COINS]
    stacked = jax.tree.map(lambda *x: np.stack(x), *states)
    return make_solved_positions(GAME, stacked, np.array(BEST), "four positions")


@pytest.fixture(scope="module")
def errors(positions):
    choices = Choices(by_network=np.array([0, 1, 1, 0]), by_search=np.array([0, 0, 0, 0]))
    return find_errors(GAME, positions, choices)


def test_moves_are_in_notation(errors):
    assert [(error.network, error.search, error.best) for error in errors] == [
        ("1", "1", "2"),
        ("2", "1", "1"),
        ("2", "1", "2"),
    ]


def test_of_several_samples_of_the_search_one_error_counts(positions):
    samples = np.array([[1, 0, 1, 0], [1, 1, 1, 0]])
    [error] = find_errors(GAME, positions, Choices(samples[0], samples))
    assert (error.position, error.network, error.search) == ("4 O", "1", "2")
