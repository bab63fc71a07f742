import pytest

from azjax.page.analysis.rules import Position
from azjax.page.play.words import describe_status


def position(mover=0, result=None):
    return Position(state=None, text="", mover=mover, legal=(), result=result)


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        (position(0), "Your move, as X."),
        (position(1), "mcts moves, as O."),
        (position(1, 0), "Draw."),
        (position(1, 1), "X wins (you)."),
        (position(0, -1), "O wins (mcts)."),
    ],
)
def test_the_status_says_whose_turn_it_is_or_who_has_won(at, expected):
    seats = ("you", "mcts")
    assert describe_status(at, seats, None, is_variation=False) == expected
    told = describe_status(at, seats, (1, 0), is_variation=True)
    assert told == f"In the tree: {expected} Mistakes: X 1, O 0."


def test_values_are_turned_to_the_view_of_x():
    values = position(0).value_for_first(0.5), position(1).value_for_first(0.5)
    assert values == (0.5, -0.5)
