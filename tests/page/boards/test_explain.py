"""Why something cannot be played."""

import pytest

from azjax.games import make

from .own_games import SCRIPT, OwnGame, OwnNames
from .positions import at, start


@pytest.mark.parametrize(
    ("name", "line", "cell", "reason"),
    [
        ("tic_tac_toe", "X../.O./... X", "b2", "b2 is occupied."),
        ("tic_tac_toe", "XXX/OO./... O", "c3", "The game is over."),
        ("gomoku_9", "/".join(["X........", "O........", *["........."] * 7]) + " X", "a2", None),
        (
            "connect_four",
            "X....../O....../X....../O....../X....../O...... X",
            "1",
            "Column 1 is full.",
        ),
        ("hex_5", "...../..X../...../...../..... O", "c2", "c2 is occupied."),
        (
            "othello_6",
            "....../....../..OX../..XO../....../...... X",
            "a1",
            "a1 flips no disc of the opponent.",
        ),
        ("othello_6", "....../....../..OX../..XO../....../...... X", "c3", "c3 is occupied."),
        (
            "go_5",
            ".X.../X..../...../...../..... O",
            "a1",
            "a1 is suicide, or repeats an earlier board (superko).",
        ),
        (
            "quixo",
            "...../...../...../...../..... X",
            "2,2",
            "The cube at 2,2 is not on the border.",
        ),
        ("quixo_3", "O../.../... X", "0,0", "The cube at 0,0 is the opponent's."),
        ("coins", "5 X", "coin 1", "A move takes at most 2 coins."),
    ],
)
def test_a_reason_is_one_sentence(name, line, cell, reason):
    assert at(name, line).explain(cell) == (reason or f"{cell} is occupied.")


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four", "hex_5", "quixo_3", "go_5"])
@pytest.mark.parametrize("cell", ["z99", "9,9", "", SCRIPT])
def test_what_is_nowhere_on_the_board_cannot_be_played_either(name, cell):
    assert start(make(name)).explain(cell) == f"{cell} cannot be played here."


@pytest.mark.parametrize("game", [OwnGame(), OwnNames()])
def test_of_an_unknown_game_no_reason_is_known(game):
    assert start(game).explain("b2") == "b2 cannot be played here."
