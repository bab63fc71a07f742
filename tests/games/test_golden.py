"""Golden games: play reproduces the files of tests/data/golden, line by line.

`tests/games/make_golden.py` adds games to them.
"""

import pytest

from azjax.games import make, names

from .make_golden import FOLDER, path_of, read_games, write_file


def test_every_registered_game_has_golden_games_and_no_file_is_left_over():
    assert {path.name for path in FOLDER.iterdir()} == {f"{name}.txt" for name in names()}


def with_tier(name):
    is_large = name in ("gomoku_15", "hex", "othello", "go_7", "go_9", "go_19")
    return pytest.param(name, marks=pytest.mark.slow if is_large else ())


@pytest.mark.parametrize("name", [with_tier(name) for name in names()])
def test_a_golden_game_is_played_as_written(name):
    golden = path_of(name).read_text()
    assert write_file(make(name), read_games(golden)).split("\n") == golden.split("\n")
