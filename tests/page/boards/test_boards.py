"""What the boards render, and why something cannot be played."""

import pytest

from azjax.games import make

from .own_games import SCRIPT, OwnGame, OwnLines, OwnNames
from .positions import at, middle, play, start


def test_a_column_of_connect_four_is_clickable_as_a_whole():
    position = play(make("connect_four"), *"4444443")
    picture = position.render()
    assert picture.moves() == [0, 1, 2, 4, 5, 6]
    assert picture.texts("coordinate") == list("1234567")
    assert list(picture.with_attribute("data-illegal")) == ["4"]
    column, ghost = picture.with_attribute("data-move")["2"]
    assert float(column.get("height")) >= 600
    assert middle(column)[0] == 250
    assert middle(ghost) == (250, 450)  # above the stone of the column


def test_a_click_on_the_kth_last_coin_takes_k():
    position = at("coins:take=3", "4 X")
    targets = position.render().with_attribute("data-move")
    assert [targets[action].get("aria-label") for action in "012"] == ["1", "2", "3"]
    assert [middle(targets[action])[0] for action in "012"] == [350, 250, 150]
    assert list(position.render().with_attribute("data-illegal")) == ["coin 1"]
    pointed = position.render().with_attribute("data-for")
    assert [len(pointed[action]) for action in "012"] == [1, 2, 3]
    assert position.render().texts("coordinate") == ["4 left"]


@pytest.mark.parametrize("game", [OwnGame(), OwnNames(), OwnLines()])
def test_no_text_of_a_user_reaches_the_page_unescaped(game):
    svg = start(game).svg()
    assert "<script" not in svg
    assert "&lt;script&gt;" in svg
    assert "\x1b" not in svg


LAST = [("connect_four", ["4", "4", "4"]), ("othello_6", ["c2", "b2"])]


@pytest.mark.parametrize(("name", "moves"), LAST)
def test_the_stone_that_was_placed_last_is_marked(name, moves):
    position, before = play(make(name), *moves), play(make(name), *moves[:-1])
    picture = position.render(last=position.last)
    (mark,) = picture.having("last")
    placed = before.render().with_attribute("data-for")[str(position.last)]
    assert middle(mark) == middle(placed[0])
    assert position.render().having("last") == []


def test_a_weight_is_shown_with_its_share_where_it_is_large_enough():
    position = start(make("connect_four"))
    picture = position.render(weights={3: 0.64, 2: 0.16, 1: 0.01, 0: 0.004, 6: 0.0})
    assert picture.texts("share") == ["1%", "16%", "64%"]
    assert [middle(disc)[0] for disc in picture.having("heat")] == [50, 150, 250, 350]


@pytest.mark.parametrize(
    ("name", "line", "cell", "reason"),
    [
        ("tic_tac_toe", "X../.O./... X", "b2", "b2 is occupied."),
        ("connect_four", "/".join(["X......", "O......"] * 3) + " X", "1", "Column 1 is full."),
        ("othello_6", "....../....../..OX../..XO../....../...... X", "a1", "a1 flips no disc"),
        ("go_5", ".X.../X..../...../...../..... O", "a1", "A5 is suicide, or repeats"),
        ("coins", "5 X", "coin 1", "A move takes at most 2 coins."),
    ],
)
def test_a_reason_is_one_sentence(name, line, cell, reason):
    assert at(name, line).explain(cell).startswith(reason)


@pytest.mark.parametrize("cell", ["z99", SCRIPT])
def test_what_is_nowhere_on_the_board_cannot_be_played_either(cell):
    assert start(make("quixo_3")).explain(cell) == f"{cell} cannot be played here."


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


@pytest.mark.parametrize(
    ("name", "moves", "places"),
    [
        ("tic_tac_toe", ["a1", "b1", "b2", "c1", "c3"], [(50, 50), (150, 150), (250, 250)]),
        ("connect_four", list("1212121"), [(50, y) for y in (250, 350, 450, 550)]),
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
