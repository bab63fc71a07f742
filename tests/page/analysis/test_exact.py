import pytest

from azjax import games
from azjax.page.analysis.exact import exact_scores, exact_values, is_solved, mistakes
from azjax.page.analysis.rules import make_rules
from azjax.support.errors import InputError


def test_coins_are_lost_at_multiples_of_three():
    rules = make_rules("coins")
    values = exact_values(rules.game, rules.parse("20 O"))
    assert {rules.game.format_action(action): value for action, value in values.items()} == {
        "1": -1,
        "2": 1,
    }
    lost = exact_values(rules.game, rules.parse("18 X"))
    assert set(lost.values()) == {-1}


def test_what_a_move_gives_away_is_counted():
    values = {0: 1, 1: 0, 2: -1}
    assert [mistakes(values, action) for action in values] == [0, 1, 2]
    assert mistakes({0: -1, 1: -1}, 1) == 0


def test_a_position_that_play_does_not_reach_has_no_exact_values():
    rules = make_rules("coins:coins=5")
    position = rules.parse("5 O")
    assert exact_values(rules.game, position) == {}
    with pytest.raises(InputError, match="no play of coins"):
        exact_scores(rules.game, position)


def test_large_games_are_not_solved():
    assert is_solved(games.make("tic_tac_toe"))
    assert not is_solved(games.make("hex"))
    assert not is_solved(games.make("connect_four:rows=5"))
