import json

import numpy as np
import pytest

from azjax import games
from azjax.page.evolution.charts import elo_chart, opening_value_chart, policy_chart
from azjax.page.evolution.opening import Opening, opening_shares, opening_values
from azjax.page.evolution.ratings import RatedNetwork

GAME = games.make("tic_tac_toe")


def test_the_five_largest_moves_of_the_start_are_shown_and_the_others_together(analyse):
    openings = [Opening(0, analyse(range(9))), Opening(10, analyse([8, 7, 6]))]
    shares = opening_shares(GAME, openings, "search")
    assert len(shares) == 6
    assert list(shares)[-1] == "others"
    assert sum(np.array(values) for values in shares.values()) == pytest.approx([1.0, 1.0])
    assert shares[GAME.format_action(8)] == pytest.approx([0.0625, 0.5])
    assert opening_values(openings) == [0.25, 0.25]


def test_the_network_alone_has_a_policy_of_its_own(analyse):
    shares = opening_shares(GAME, [Opening(0, analyse([4]))], "network")
    assert all(
        values == pytest.approx([1 / 9]) for move, values in shares.items() if move[0] != "o"
    )
    assert shares["others"] == pytest.approx([4 / 9])


def test_a_policy_is_areas_upon_each_other():
    chart = policy_chart([0, 10], {"b2": [0.1, 0.9], "others": [0.9, 0.1]})
    assert [series["name"] for series in chart["series"]] == ["b2", "others"]
    assert {series["stack"] for series in chart["series"]} == {"policy"}
    assert chart["series"][0]["data"] == [[0, 0.1], [10, 0.9]]


def test_the_chance_of_winning_from_the_start_has_a_point_for_each_network():
    chart = opening_value_chart([0, 10], [0.1, 0.0])
    assert chart["series"][0]["data"] == [[0, 55.0], [10, 50.0]]


def test_ratings_lie_between_the_ends_of_their_intervals():
    chart = elo_chart([RatedNetwork(0, 10.2, -5.0, 25.0), RatedNetwork(10, 300.0, 250.0, 350.4)])
    data = {series["name"]: series["data"] for series in chart["series"]}
    assert data == {
        "Elo above random": [[0, 10], [10, 300]],
        "95% interval, low": [[0, -5], [10, 250]],
        "95% interval, high": [[0, 25], [10, 350]],
    }
    assert json.loads(json.dumps(chart)) == chart
