"""What each kind of board renders."""

import pytest

from azjax.games import make

from .own_games import SCRIPT, OwnGame, OwnLines, OwnNames
from .picture import middle
from .positions import at, play, start


def test_small_boards_have_signs_and_larger_ones_stones():
    signs = at("tic_tac_toe", "X../.O./... X").render()
    assert len(signs.having("sign", "first")) == len(signs.having("sign", "second")) == 1
    stones = at("mnk_6_6_4", "X...../.O..../....../....../....../...... X").render()
    assert stones.having("sign") == []
    assert len(stones.having("disc", "first")) == len(stones.having("disc", "second")) == 1


@pytest.mark.parametrize(
    ("name", "count"),
    [("gomoku_9", 5), ("gomoku_15", 5), ("go_5", 1), ("go_7", 1), ("go_9", 5), ("go_19", 9)],
)
def test_boards_of_points_have_stars(name, count):
    stars = start(make(name)).render().having("star")
    assert len({middle(star) for star in stars}) == count


def test_a_column_of_connect_four_is_clickable_as_a_whole():
    position = play(make("connect_four"), *"4444443")
    picture = position.render()
    assert picture.moves() == [0, 1, 2, 4, 5, 6]
    assert picture.texts("coordinate") == list("1234567")
    assert list(picture.with_attribute("data-illegal")) == ["4"]
    column, ghost = picture.with_attribute("data-move")["2"]
    assert float(column.get("height")) >= 600
    assert middle(column)[0] == middle(ghost)[0] == 250
    assert middle(ghost)[1] == 450  # above the stone of the column
    assert ghost.get("class").split() == ["ghost", "disc", "second"]


def test_hex_is_a_rhombus_with_coordinates_and_the_edges_of_both_players():
    position = play(make("hex"), "a1", "b1", "a2", "k11")
    picture = position.render()
    assert picture.texts("coordinate") == [*"abcdefghijk", *(str(i) for i in range(1, 12))]
    assert len(picture.having("edge", "first")) == len(picture.having("edge", "second")) == 1
    a1, b1, a2, k11 = (middle(stone) for stone in picture.having("stone"))
    assert (a1, b1) == ((0, 0), (100, 0))
    assert a2 == pytest.approx((50, 86.6))
    assert k11 == pytest.approx((1500, 866))


def test_a_click_on_the_kth_last_coin_takes_k():
    position = at("coins:take=3", "4 X")
    targets = position.render().with_attribute("data-move")
    assert [targets[action].get("aria-label") for action in "012"] == ["1", "2", "3"]
    assert [middle(targets[action])[0] for action in "012"] == [350, 250, 150]
    assert list(position.render().with_attribute("data-illegal")) == ["coin 1"]
    pointed = position.render().with_attribute("data-for")
    assert [len(pointed[action]) for action in "012"] == [1, 2, 3]
    assert position.render().texts("coordinate") == ["4 left"]


def test_the_largest_number_of_coins_is_rendered():
    assert len(start(make("coins:coins=127")).render().having("stone")) == 127


def test_an_unknown_game_whose_moves_are_cells_is_a_grid():
    picture = play(OwnGame(), "a1", "d3").render()
    assert picture.texts("coordinate") == ["a", "b", "c", "d", "1", "2", "3"]
    assert len(picture.moves()) == 10
    assert picture.root.get("aria-label") == f"Board of {SCRIPT}"


@pytest.mark.parametrize("game", [OwnNames(), OwnLines()])
def test_an_unknown_game_in_another_notation_is_its_text(game):
    position = start(game)
    picture = position.render()
    assert picture.texts("render")[0] == SCRIPT
    assert picture.moves() == []
    assert position.off_board() == list(position.legal)


@pytest.mark.parametrize("game", [OwnGame(), OwnNames(), OwnLines()])
def test_no_text_of_a_user_reaches_the_page_unescaped(game):
    svg = start(game).svg()
    assert "<script" not in svg
    assert "&lt;script&gt;" in svg
    assert "\x1b" not in svg


def test_games_of_pgx_are_rendered_by_pgx_and_not_clickable():
    pytest.importorskip("pgx")
    position = start(make("pgx:tic_tac_toe"))
    picture = position.render(weights={0: 0.5}, last=3)
    assert picture.root.get("viewBox") == "0 0 240 240"
    assert picture.having("move") == []
    assert position.off_board() == list(range(9))
    lines = [one for one in picture.root.iter() if one.tag.endswith("line")]
    assert len(lines) >= 4
