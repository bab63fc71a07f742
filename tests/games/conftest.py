"""Random play of registered games."""

import pytest

from azjax.games import Game
from azjax.games.laws.playout import Playout, play_randomly


@pytest.fixture(scope="session")
def playout(game: Game) -> Playout:
    return play_randomly(game, num_games=32, seed=0)
