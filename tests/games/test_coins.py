"""The coin game: its rules and its notation."""

import jax
import numpy as np
import pytest

from azjax.games import make

COINS = make("coins")


def after(position, take, game=COINS):
    """Returns the state after a number of coins has been taken."""
    return jax.jit(game.step)(game.parse_state(position), np.int32(take - 1))


@pytest.mark.parametrize(
    ("position", "takes"), [("21 X", [1, 2]), ("2 O", [1, 2]), ("1 X", [1]), ("0 X", [])]
)
def test_as_many_coins_may_be_taken_as_are_left(position, takes):
    mask = np.asarray(COINS.legal_action_mask(COINS.parse_state(position)))
    assert (np.flatnonzero(mask) + 1).tolist() == takes


@pytest.mark.parametrize(
    ("position", "take", "expected", "rewards"),
    [
        ("21 X", 2, "19 O", [0, 0]),
        ("3 O", 2, "1 X", [0, 0]),
        ("2 O", 2, "0 X", [-1, 1]),
        ("1 X", 1, "0 O", [1, -1]),
        ("1 X", 2, "1 O", [-1, 1]),  # more than are left
    ],
)
def test_who_takes_the_last_coin_wins_and_who_takes_more_loses(position, take, expected, rewards):
    state = after(position, take)
    assert COINS.format_state(state) == expected
    assert state.rewards.tolist() == rewards
    assert bool(state.terminated) == any(rewards)


def test_the_observation_is_the_number_of_coins_left_one_hot():
    observation = np.asarray(COINS.observe(COINS.parse_state("19 O")))
    assert np.argwhere(observation).tolist() == [[0, 18, 0]]
    assert not np.asarray(COINS.observe(COINS.parse_state("0 X"))).any()
