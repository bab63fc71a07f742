"""`azjax.evaluate` and `azjax.load_agent`: matches and searches from Python."""

import pytest

import azjax
from azjax.support.errors import InputError


@pytest.fixture(scope="module")
def agent():
    return azjax.load_agent("connect_four", simulations=2)


def test_players_of_a_name_need_a_game():
    result = azjax.evaluate("minimax", "random", game="coins:coins=4", games=20)
    assert result.moving_first.wins == 10  # of 4 coins the first player wins
    assert result.num_games == 20
    with pytest.raises(InputError, match=r"random play\? give the game: --game NAME, in Python"):
        azjax.evaluate("minimax", "random", games=20)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"games": 3}, "games=3: must be even"),
        ({"engine_processes": 3}, "engine_processes=3: must be even and at least 2"),
        ({"game": "hex"}, "does not play hex: all must play the same game"),
    ],
)
def test_a_wrong_argument_is_refused_in_one_line(agent, settings, message):
    with pytest.raises(InputError, match=message):
        azjax.evaluate(agent, "random", **settings)
