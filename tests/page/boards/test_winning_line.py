"""The line that has won, on the boards."""

import pytest

from azjax.games import make
from azjax.page.boards.winning_line import cells_in_lines

from .picture import middle
from .positions import at, play

FIVE = ["a1", "a2", "b1", "b2", "c1", "c2", "d1", "d2", "e1"]


@pytest.mark.parametrize(
    ("name", "moves", "places"),
    [
        ("tic_tac_toe", ["a1", "b1", "b2", "c1", "c3"], [(50, 50), (150, 150), (250, 250)]),
        ("connect_four", list("1212121"), [(50, y) for y in (250, 350, 450, 550)]),
        ("gomoku_9", FIVE, [(x, 50) for x in (50, 150, 250, 350, 450)]),
    ],
)
def test_the_winning_line_is_marked(name, moves, places):
    before, after = play(make(name), *moves[:-1]), play(make(name), *moves)
    assert before.render().having("won") == []
    assert sorted(map(middle, after.render().having("won"))) == sorted(places)


def test_quixo_marks_the_line_of_the_winner_alone():
    both = at("quixo_3", "OOO/XXX/... X")  # O has completed a line of each, and has lost
    won = both.render().having("won")
    assert sorted(map(middle, won)) == [(50, 150), (150, 150), (250, 150)]


def test_a_game_without_lines_marks_none():
    assert play(make("hex:size=3"), "b2", "a1", "b1", "a2", "b3").render().having("won") == []


def test_lines_go_in_four_directions_and_do_not_wrap_around_the_border():
    def cells(*stones):
        owners = [0 if cell in stones else -1 for cell in range(12)]
        return cells_in_lines(owners, 3, 4, 3, 0)

    assert cells(0, 1, 2) == [0, 1, 2]
    assert cells(1, 5, 9) == [1, 5, 9]
    assert cells(0, 5, 10) == [0, 5, 10]
    assert cells(3, 6, 9) == [3, 6, 9]
    assert cells(2, 3, 4) == []  # the third is in the row below
    assert cells(1, 4, 7) == []
    assert cells(0, 1, 2, 3) == [0, 1, 2, 3]
