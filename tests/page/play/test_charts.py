from types import SimpleNamespace

import numpy as np
import pytest

from azjax.evaluation import PositionSearch
from azjax.page.analysis.report import TreeNode
from azjax.page.analysis.rules import make_rules
from azjax.page.play.charts import tree_chart, value_colour, win_chart
from azjax.page.play.move_table import move_table


@pytest.fixture(scope="module")
def rules():
    return make_rules("tic_tac_toe")


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
        q_values=np.where(visits > 0, -0.001, np.nan),
    )
    nodes = (
        TreeNode(0, None, (), 9, 0.2),
        TreeNode(1, 0, (0,), 5, -0.5),
        TreeNode(2, 0, (4,), 3, 1.0),
        TreeNode(7, 1, (0, 4), 2, -1.0),
    )
    return SimpleNamespace(found=found, nodes=nodes, lines={0: (0, 4), 4: (4,)})


def test_the_chance_of_winning_is_drawn_for_x_and_the_shown_ply_marked():
    options = win_chart([0.0, None, 1.0, -0.5], ["a1", "b2", "c3"], 2)
    series, columns = options["series"]
    assert len(columns["data"]) == len(series["data"])
    assert series["data"] == [50.0, None, 100.0, 25.0]
    assert options["xAxis"]["data"] == ["start", "1. a1", "2. b2", "3. c3"]
    assert series["markLine"]["data"] == [{"xAxis": 2}]


def test_the_tree_has_every_node_below_its_parent(rules, analysis):
    (root,) = tree_chart(analysis, rules)["series"][0]["data"]
    first, second = root["children"]
    assert (root["actions"], first["actions"], second["actions"]) == ([], [0], [4])
    assert (first["name"], second["name"]) == ("a1", "b2")
    (below,) = first["children"]
    assert (below["name"], below["actions"], below["value"]) == ("b2", [0, 4], [2, -1.0])
    assert root["symbolSize"] > first["symbolSize"] > below["symbolSize"]
    assert first["itemStyle"]["color"] != second["itemStyle"]["color"]


def test_without_a_tree_the_chart_has_an_invisible_root(rules):
    empty = SimpleNamespace(nodes=())
    for options in (tree_chart(empty, rules), tree_chart(None, None)):
        assert [root["name"] for root in options["series"][0]["data"]] == [""]


@pytest.mark.parametrize(
    ("value", "colour"), [(0.0, "#ffffff"), (1.0, "#5e3c99"), (-1.0, "#e66101"), (2.0, "#5e3c99")]
)
def test_the_colour_of_a_value_goes_from_one_end_to_the_other(value, colour):
    assert value_colour(value) == colour


def test_the_table_has_a_row_for_each_tried_move_the_best_first(rules, analysis):
    table = move_table(analysis, rules, {})
    assert table.count("<tr data-for=") == 2
    assert table.index('data-for="0"') < table.index('data-for="4" class="chosen"')
    assert "<td>62.5%</td>" in table
    assert ">+0.00</span>" in table  # not -0.00
    assert "<td>a1 b2</td>" in table
    assert "exact" not in table
    assert "<td>loss</td>" in move_table(analysis, rules, {0: -1, 4: 1})


def test_names_of_moves_are_escaped(rules, analysis, monkeypatch):
    monkeypatch.setattr(type(rules.game), "format_action", lambda *_: "<script>")
    table = move_table(analysis, rules, {})
    assert "<script>" not in table
    assert "&lt;script&gt;" in table
