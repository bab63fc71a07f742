from types import SimpleNamespace

import numpy as np
import pytest

from azjax.evaluation import PositionSearch
from azjax.page.play.moves import move_rows
from azjax.page.values import describe_chance, win_percent


@pytest.mark.parametrize(
    ("value", "percent", "words"),
    [
        (0.25, 62.5, "62.5%"),
        (-1.0000001, 0.0, "0.0%"),  # not -0.0%
        (1.0000001, 100.0, "100.0%"),
    ],
)
def test_a_value_is_the_chance_of_winning_with_a_draw_as_half_a_win(value, percent, words):
    assert (win_percent(value), describe_chance(value)) == (percent, words)


@pytest.fixture(scope="module")
def analysis(rules):
    visits = np.array([5, 0, 0, 0, 3, 0, 0, 0, 0])
    found = PositionSearch(
        game=rules.game,
        action=4,
        policy=np.where(visits > 0, visits / 8, 0.0),
        value=0.25,
        principal_variation=[4, 0],
        prior=np.full(9, 1 / 9),
        visits=visits,
        q_values=np.where(visits > 0, [0.052, *[0.252] * 8], np.nan),
    )
    return SimpleNamespace(found=found, lines={0: (0, 4), 4: (4,)})


def test_the_table_has_a_row_for_each_tried_move_the_best_first(rules, analysis):
    first, second = move_rows(analysis, rules, {})
    assert (first["action"], first["is_chosen"], first["loss"]) == (4, True, "best")
    assert (second["action"], second["is_chosen"], second["loss"]) == (0, False, "\u221210")
    assert (second["move"], second["prior"], second["visits"]) == ("a1", "11.1%", 5)
    assert (second["policy"], second["value"], second["exact"]) == ("62.5%", "52.6%", "")
    assert second["variation"] == "a1 b2"
    assert [row["exact"] for row in move_rows(analysis, rules, {0: -1, 4: 1})] == ["win", "loss"]
