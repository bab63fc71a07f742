import pytest

from azjax.page.play.game_line import last_turn_of, read_game
from azjax.support.errors import InputError


def test_a_game_is_its_positions_and_moves(rules):
    line = read_game(rules, "", ["a1", "b2", "c3"])
    assert line.names() == ("a1", "b2", "c3")
    assert [one.text for one in line.positions] == [
        ".../.../... X",
        "X../.../... O",
        "X../.O./... X",
        "X../.O./..X O",
    ]
    assert [len(one.legal) for one in line.positions] == [9, 8, 7, 6]
    assert line.last.result is None
    earlier = line.back_to(1)
    assert (earlier.names(), earlier.last.text) == (("a1",), "X../.../... O")


def test_a_game_may_begin_anywhere_and_ends_with_a_result(rules):
    line = read_game(rules, "XX./OO./... X", ["c1"])
    assert line.last.result == 1
    assert line.last.legal == ()


@pytest.mark.parametrize(
    ("position", "moves", "message"),
    [
        ("", ["a1", "a1"], r"^move 2: a1 cannot be played here"),
        ("", ["z9"], r"^move 1: 'z9' is not a cell"),
        ("XX./OO./... X", ["c1", "c2"], r"^move 2: c2 cannot be played: the game is over"),
        ("<script>", [], "is not 3 rows of 3"),
        ("x" * 24_001, [], "at most 24,000 characters"),
        ("", ["a1"] * 1001, "at most 1000 moves"),
    ],
)
def test_a_wrong_game_is_refused(rules, position, moves, message):
    with pytest.raises(InputError, match=message):
        read_game(rules, position, moves)


def test_the_turn_that_undo_goes_back_to(rules):
    line = read_game(rules, "", ["a1", "b2"])
    assert last_turn_of(line, {0}) == 0
    assert last_turn_of(line, {1}) == 1
    assert last_turn_of(line.back_to(0), {0}) is None
