"""Files of recorded games."""

import pytest

from azjax.games import make
from azjax.runs.recorded_games import RecordedGame, read_games, write_games
from azjax.support.errors import InputError

GAME = make("connect_four")
GAMES = [[3, 3, 4, 4, 5, 5, 6], [0, 1, 0, 1, 0, 1, 0], [6, 6, 6]]


@pytest.fixture
def path(tmp_path):
    write_games(GAME, tmp_path / "games.txt", GAMES)
    return tmp_path / "games.txt"


def test_games_are_lines_of_moves(path):
    assert path.read_text().splitlines() == ["4 4 5 5 6 6 7", "1 2 1 2 1 2 1", "7 7 7"]
    assert read_games(GAME, path) == [RecordedGame(i + 1, game) for i, game in enumerate(GAMES)]


@pytest.mark.parametrize(
    ("text", "message"), [("4 4\n1 9\n", "line 2: '9' is not a column"), ("\n\n", "holds no games")]
)
def test_a_wrong_file_is_told_in_one_line(path, text, message):
    path.write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        read_games(GAME, path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
