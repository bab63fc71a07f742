import importlib.util

import jax
import pytest

from azjax import games
from azjax.engines.perfect import PerfectScores

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("bitbully") is None, reason="BitBully is not installed"
)


@pytest.fixture(scope="module")
def scores():
    perfect = PerfectScores(games.make("connect_four"))
    yield perfect
    perfect.close()


def test_the_first_player_wins_by_the_middle_column_alone(scores):
    found = scores(games.make("connect_four").init(jax.random.key(0)))
    assert {action for action, score in found.items() if score > 0} == {3}
    assert {action for action, score in found.items() if score == 0} == {2, 4}


def test_scores_are_of_the_player_to_move_and_of_legal_actions(scores):
    game = games.make("connect_four")
    # O must stop the three in a row; the column in the middle is full.
    state = game.parse_state("...O.../...X.../...O.../...X.../...O.../..OXXX. O")
    found = scores(state)
    assert 3 not in found
    assert max(found, key=found.get) == 6
    won = game.parse_state("......./......./......./......./OOO..../XXX.... X")
    assert scores(won)[3] == max(scores(won).values()) > 0
