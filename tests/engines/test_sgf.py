"""SGF files hold the moves, the players and the result of each game of a match."""

import numpy as np
import pytest
from sgfmill.sgf import Sgf_game

from azjax import games
from azjax.engines.sgf import check_sgf, format_sgf, make_games_folder, write_games
from azjax.evaluation import FORFEITS, RESIGNS


def read(text):
    """Returns the properties of the root, and the moves as (colour, raw point)."""
    first, *nodes = Sgf_game.from_bytes(text).get_main_sequence()
    properties = {name: first.get_raw(name).decode() for name in first.properties()}
    moves = [(name, node.get_raw(name).decode()) for node in nodes for name in node.properties()]
    return properties, moves


def as_sgf(name, moves, reward):
    game = games.make(name)
    actions = [game.parse_action(move) for move in moves.split()]
    return format_sgf(game, ("first", "second"), actions, reward)


@pytest.mark.parametrize(
    ("name", "moves", "properties", "points"),
    [
        ("go_9", "c4 pass i9", {"GM": "1", "SZ": "9", "KM": "7.5"}, ["cd", "", "ii"]),
        ("othello", "d3 c5 pass", {"GM": "2", "SZ": "8"}, ["dc", "ce", ""]),
        ("gomoku_15", "h8 o15", {"GM": "4", "SZ": "15"}, ["hh", "oo"]),
        ("hex:swap=true", "c2 swap", {"GM": "11", "SZ": "11"}, ["c2", "swap-pieces"]),
    ],
)
def test_the_moves_of_each_game(name, moves, properties, points):
    found, sequence = read(as_sgf(name, moves, 1))
    expected = {"FF": "4", "CA": "UTF-8", "PB": "first", "PW": "second", "RE": "B+"} | properties
    assert found == expected
    assert sequence == list(zip("BWB", points, strict=False))


@pytest.mark.parametrize(
    ("actions", "reward", "result"), [([0, RESIGNS], 1, "B+R"), ([0, FORFEITS], -1, "W+F")]
)
def test_the_result(actions, reward, result):
    properties, moves = read(format_sgf(games.make("go_9"), ("a", "b"), actions, reward))
    assert (properties["RE"], len(moves)) == (result, 1)


def test_a_match_is_written_with_the_players_in_their_seats(tmp_path):
    pairs, rewards = [([0, 1], [2]), ([3], [4, RESIGNS])], np.array([[1, 1], [0, -1]])
    make_games_folder(tmp_path / "new")
    write_games(tmp_path / "new", games.make("gomoku_9"), ("A ]\\", "B"), pairs, rewards)
    files = sorted((tmp_path / "new").iterdir())
    roots = [Sgf_game.from_bytes(file.read_bytes()).get_root() for file in files]
    assert [(r.get("PB"), r.get("PW")) for r in roots] == 2 * [("A ]\\", "B"), ("B", "A ]\\")]
    assert [r.get_raw("RE") for r in roots] == [b"B+", b"W+", b"0", b"B+R"]


@pytest.mark.parametrize("name", ["connect_four", "gomoku_9:columns=8"])
def test_another_game_is_refused(name):
    with pytest.raises(ValueError, match=f"^{name} has no SGF files: Go, Othello, Gomoku and Hex"):
        check_sgf(games.make(name))
