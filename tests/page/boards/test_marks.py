"""The last move, weights and exact values on the boards."""

import pytest

from azjax.games import make

from .picture import middle
from .positions import at, play, start

LAST = [
    ("tic_tac_toe", ["b2", "c3"]),
    ("mnk_6_6_4", ["b2", "f5"]),
    ("gomoku_9", ["e5", "a9"]),
    ("connect_four", ["4", "4", "4"]),
    ("othello_6", ["c2", "b2"]),
    ("hex_5", ["a1", "e5"]),
    ("go_5", ["b2", "e4"]),
]


@pytest.mark.parametrize(("name", "moves"), LAST)
def test_the_stone_that_was_placed_last_is_marked(name, moves):
    position, before = play(make(name), *moves), play(make(name), *moves[:-1])
    picture = position.render(last=position.last)
    (mark,) = picture.having("last")
    placed = before.render().with_attribute("data-for")[str(position.last)]
    assert middle(mark) == middle(placed[0])
    assert position.render().having("last") == []


def test_the_stone_after_a_swap_is_marked_and_a_pass_is_not():
    swapped = play(make("hex_5:swap=true"), "b4", "swap")
    (mark,) = swapped.render(last=swapped.last).having("last")
    assert middle(mark) == middle(swapped.render().having("stone")[0])
    passed = play(make("go_5"), "pass")
    assert passed.render(last=passed.last).having("last") == []


def test_the_coins_that_were_taken_last_are_marked():
    position = play(make("coins"), "2", "1", "2")
    picture = position.render(last=position.last)
    assert len(picture.having("last", "gone", "first")) == 2
    assert len(picture.having("gone")) == 5
    assert len(picture.having("stone")) == 16


def test_a_weight_is_a_translucent_disc_with_its_share_where_it_is_large_enough():
    position = start(make("connect_four"))
    picture = position.render(weights={3: 0.64, 2: 0.16, 1: 0.01, 0: 0.004, 6: 0.0})
    opacities = [float(disc.get("fill-opacity")) for disc in picture.having("heat")]
    assert opacities == pytest.approx([0.8 * share for share in (0.063, 0.1, 0.4, 0.8)], abs=1e-3)
    assert picture.texts("share") == ["1%", "16%", "64%"]
    assert [middle(disc)[0] for disc in picture.having("heat")] == [50, 150, 250, 350]


def test_weights_of_moves_that_are_not_legal_are_not_shown():
    position = play(make("tic_tac_toe"), "b2")
    assert position.render(weights={4: 0.5, 99: 0.5}).having("heat") == []


def test_exact_values_are_badges():
    position = at("tic_tac_toe", "XX./OO./... X")
    values = {position.action("c1"): 1, position.action("c2"): 0, position.action("c3"): -1}
    picture = position.render(exact=values)
    words = [badge[1].text for badge in picture.having("badge")]
    assert words == ["win", "draw", "loss"]
    assert [middle(badge[0])[0] for badge in picture.having("badge")] == [250, 250, 250]


def test_legal_moves_are_shown_where_some_empty_cells_are_not():
    othello = start(make("othello_6"))
    shown = {middle(hint) for hint in othello.render().having("hint")}
    targets = othello.render().with_attribute("data-move").values()
    assert shown == {middle(target) for target in targets}
    assert othello.render(is_clickable=False).having("hint") == []
    assert start(make("tic_tac_toe")).render().having("hint") == []


def test_points_that_cannot_be_played_are_crossed_out():
    suicide = at("go_5", ".X.../X..../...../...../..... O")
    (cross,) = suicide.render().having("closed")
    assert cross.get("d").startswith("M38 38L62 62")
    assert start(make("go_5")).render().having("closed") == []


def test_a_pass_and_a_swap_have_no_place_on_the_board():
    go = start(make("go_5"))
    assert go.off_board() == [go.action("pass")]
    swap = play(make("hex_5:swap=true"), "b4")
    assert swap.off_board() == [swap.action("swap")]
    assert start(make("connect_four")).off_board() == []
