"""Quixo's two clicks."""

import pytest

from azjax.games import make

from .picture import middle
from .positions import at, play, start

LINE = "X.O/.../..X O 2"


@pytest.fixture(scope="module")
def position():
    return at("quixo_3", LINE)


def test_the_first_click_takes_a_cube_that_is_not_the_opponents(position):
    picture = position.render()
    assert picture.numbers("data-cube") == [1, 2, 3, 5, 6, 7]
    assert set(picture.with_attribute("data-illegal")) == {"0,0", "1,1", "2,2"}
    assert picture.with_attribute("data-cube")["5"].get("aria-label") == "1,2"
    assert picture.moves() == []


def test_the_second_click_chooses_an_end_outside_the_board(position):
    picture = position.render(taken=1)
    places = {
        target.get("aria-label"): middle(target[0])
        for target in picture.with_attribute("data-move").values()
    }
    assert places == {"0,1,L": (-33, 50), "0,1,R": (333, 50), "0,1,B": (150, 333)}
    (cube,) = picture.having("cube", "taken")
    assert middle(cube) == (150, 50)
    assert 1 in picture.numbers("data-cube")  # a click on it puts it back


@pytest.mark.parametrize("taken", [0, 4, 99])
def test_a_cube_that_may_not_be_taken_is_not(position, taken):
    assert position.svg(taken=taken) == position.svg()


def test_the_cube_that_was_pushed_in_last_is_marked_with_its_end():
    position = play(make("quixo_3"), "0,2,L")
    (mark,) = position.render(last=position.last).having("last")
    square, arrow = mark
    assert middle(square) == (50, 50)
    assert arrow.get("d").startswith("M-13 50L")


def test_a_move_that_is_pointed_at_is_its_cube_and_an_arrow(position):
    action = position.action("0,1,B")
    square, line, arrow = position.render().with_attribute("data-for")[str(action)]
    assert middle(square) == (150, 50)
    assert line.get("d") == "M150 50L150 300"
    assert arrow.get("d").startswith("M150 313L")


def test_values_are_those_of_cubes_and_then_of_ends(position):
    left, right = position.action("0,1,L"), position.action("0,1,R")
    marks = {"weights": {left: 0.3, right: 0.2}, "exact": {left: -1, right: 0}}
    cubes, ends = position.render(**marks), position.render(taken=1, **marks)
    assert cubes.texts("share") == ["50%"]
    assert middle(cubes.having("heat")[0]) == (150, 50)
    assert [badge[1].text for badge in cubes.having("badge")] == ["draw"]
    assert ends.texts("share") == ["30%", "20%"]
    assert [middle(disc) for disc in ends.having("heat")] == [(50, 50), (250, 50)]
    assert [badge[1].text for badge in ends.having("badge")] == ["loss", "draw"]


def test_coordinates_are_those_of_the_notation():
    assert start(make("quixo_4")).render().texts("coordinate") == [*"0123", *"0123"]
