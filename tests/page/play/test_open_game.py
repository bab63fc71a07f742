from types import SimpleNamespace

import pytest

from azjax.page.play.open_game import OpenGame

RULES, OTHER_RULES = object(), object()
RANDOM = SimpleNamespace(search=None)
FAST, STRONG = SimpleNamespace(search="16"), SimpleNamespace(search="64")


def make_open_game(*players, rules=RULES):
    line = SimpleNamespace(rules=rules)
    return OpenGame(None, line, players, None, False, 0, None)


@pytest.mark.parametrize(
    ("former", "players", "is_kept"),
    [
        ((None, FAST), (None, FAST), True),
        ((None, FAST), (FAST, None), True),
        ((None, FAST), (RANDOM, FAST), True),
        ((None, FAST), (None, STRONG), False),
        ((None, FAST), (None, RANDOM), False),
        ((FAST, STRONG), (FAST, None), False),
        ((FAST, STRONG), (STRONG, FAST), False),
    ],
)
def test_values_are_kept_while_the_same_players_search(former, players, is_kept):
    before, after = make_open_game(*former), make_open_game(*players)
    before.values["position"], before.exact["position"] = 0.5, {0: 1}
    after.take_over(before)
    assert after.values == ({"position": 0.5} if is_kept else {})
    assert after.exact == {"position": {0: 1}}


def test_nothing_is_kept_for_another_game():
    before, after = make_open_game(None, FAST), make_open_game(None, FAST, rules=OTHER_RULES)
    before.values["position"], before.exact["position"] = 0.5, {0: 1}
    after.take_over(before)
    assert (after.values, after.exact) == ({}, {})
