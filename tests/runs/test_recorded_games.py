"""Files of recorded games, and the replay that they fill."""

import jax
import numpy as np
import pytest

from azjax.games import make
from azjax.runs.recorded_games import RecordedGame, read_games, replay_of_games, write_games
from azjax.support.errors import InputError
from azjax.training import TrainConfig

GAME = make("connect_four")
CONFIG = TrainConfig("connect_four", num_games=2, replay_moves=20, num_moves=20, batch_size=2)
GAMES = [[3, 3, 4, 4, 5, 5, 6], [0, 1, 0, 1, 0, 1, 0], [6, 6, 6]]


@pytest.fixture
def path(tmp_path):
    write_games(GAME, tmp_path / "games.txt", GAMES)
    return tmp_path / "games.txt"


def test_games_are_lines_of_moves(path):
    assert path.read_text().splitlines() == ["4 4 5 5 6 6 7", "1 2 1 2 1 2 1", "7 7 7"]
    assert read_games(GAME, path) == [RecordedGame(i + 1, game) for i, game in enumerate(GAMES)]


def test_replay_has_the_games_one_after_another(path):
    replay = jax.device_get(replay_of_games(CONFIG, path))
    moves = replay.trajectory
    assert replay.num_written == 20
    assert moves.reward.shape == (20, 2)
    np.testing.assert_array_equal(moves.action, moves.action_weights.argmax(axis=-1))
    actions = moves.action.T.reshape(-1)  # game after game
    expected = [action for game in GAMES for action in game]
    np.testing.assert_array_equal(actions, np.resize(expected, 40))
    discount, reward = (x.T.reshape(-1)[:17] for x in (moves.discount, moves.reward))
    np.testing.assert_array_equal(discount == 0, np.isin(np.arange(17), (6, 13)))
    np.testing.assert_array_equal(reward, (discount == 0).astype(float))
    stones = (moves.state.board >= 0).sum(axis=(2, 3)).T.reshape(-1)[:17]
    np.testing.assert_array_equal(stones, [*range(7), *range(7), *range(3)])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("4 4\n1 9\n", "line 2: '9' is not a column"),
        ("\n\n", "holds no games"),
        ("1 2 1 2 1 2 1 2\n", "line 1: move 8 is not legal"),  # the game is over
        ("4\n\n7\n1 1 1 1 1 1 1\n", "line 4: move 7 is not legal"),
    ],
)
def test_a_wrong_file_is_told_in_one_line(tmp_path, text, message):
    path = tmp_path / "games.txt"
    path.write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        replay_of_games(CONFIG, path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
