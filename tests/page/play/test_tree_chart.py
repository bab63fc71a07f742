from types import SimpleNamespace

import pytest

from azjax.page.analysis.report import TreeNode
from azjax.page.analysis.rules import make_rules
from azjax.page.play.tree_chart import tree_chart


@pytest.fixture(scope="module")
def rules():
    return make_rules("tic_tac_toe")


@pytest.fixture(scope="module")
def analysis():
    nodes = (
        TreeNode(0, None, (), 9, 0.2),
        TreeNode(1, 0, (0,), 5, -0.5),
        TreeNode(2, 0, (4,), 3, 1.0),
        TreeNode(7, 1, (0, 4), 2, -1.0),
    )
    return SimpleNamespace(nodes=nodes)


def test_the_tree_has_every_node_below_its_parent(rules, analysis):
    (root,) = tree_chart(analysis, rules)["series"][0]["data"]
    first, second = root["children"]
    assert (root["actions"], first["actions"], second["actions"]) == ([], [0], [4])
    assert (first["name"], second["name"]) == ("a1", "b2")
    (below,) = first["children"]
    assert (below["name"], below["actions"], below["value"]) == ("b2", [0, 4], [2, 0.0])
    assert root["symbolSize"] > first["symbolSize"] > below["symbolSize"]
    assert first["itemStyle"]["color"] != second["itemStyle"]["color"]


def test_without_a_tree_the_chart_has_an_invisible_root(rules):
    empty = SimpleNamespace(nodes=())
    for options in (tree_chart(empty, rules), tree_chart(None, None)):
        assert [root["name"] for root in options["series"][0]["data"]] == [""]
