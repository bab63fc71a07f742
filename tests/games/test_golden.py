"""Golden games: play reproduces the files of tests/data/golden, line by line.

`python tests/games/make_golden.py NAME` makes a file for a new game; see make_golden.py.
"""

import pytest

from azjax.games import make, names

from .make_golden import FOLDER, path_of, random_games, read_games, write_file, write_game


def test_every_registered_game_has_golden_games_and_no_file_is_left_over():
    assert {path.name for path in FOLDER.iterdir()} == {f"{name}.txt" for name in names()}


@pytest.fixture(scope="session")
def golden(game):
    return path_of(game.name).read_text()


def test_a_golden_game_is_played_as_written(game, golden):
    assert write_file(game, read_games(golden)).split("\n") == golden.split("\n")


def test_golden_games_are_won_by_either_side(golden):
    outcomes = {title[:6] for title, _ in read_games(golden)}
    assert {"X wins", "O wins"} <= outcomes


def test_a_golden_file_states_its_version(game, golden):
    assert golden.startswith(f"{game.name} version {game.version}\n")


TIC_TAC_TOE = make("tic_tac_toe")


def test_random_golden_games_can_be_read_again():
    games = random_games(TIC_TAC_TOE)
    assert read_games(write_file(TIC_TAC_TOE, games)) == games


@pytest.mark.parametrize(
    ("title", "moves", "message"),
    [
        ("X wins", "b1 a1 c2 a2 b3 a3", "O wins"),
        ("draw", "b1 a1", "not over"),
        ("draw", "b1 b1", "b1 is illegal in .X./.../... O"),
    ],
)
def test_a_golden_game_with_a_wrong_title_or_move_is_refused(title, moves, message):
    with pytest.raises(ValueError, match=message):
        write_game(TIC_TAC_TOE, title, moves.split())
