from types import SimpleNamespace

import pytest

from azjax.page.analysis.search_analysis import MOST_NODES, TreeNode
from azjax.page.play.analysis_panel import search_title
from azjax.page.play.tree_chart import tree_chart


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
    assert (below["name"], below["actions"]) == ("b2", [0, 4])
    assert root["symbolSize"] > first["symbolSize"] > below["symbolSize"]
    assert first["itemStyle"]["color"] != second["itemStyle"]["color"]


def test_the_tooltip_of_a_node_says_what_its_numbers_mean(rules):
    nodes = (TreeNode(0, None, (), 1272, -0.91), TreeNode(1, 0, (4,), 1, 1.0))
    (root,) = tree_chart(SimpleNamespace(nodes=nodes), rules)["series"][0]["data"]
    told = [node["tooltip"]["formatter"] for node in (root, *root["children"])]
    assert told == [
        "{b}: 1,272 visits, chance of winning 4.5%",
        "{b}: 1 visit, chance of winning 100.0%",
    ]


def test_without_a_tree_the_chart_has_an_invisible_root(rules):
    empty = SimpleNamespace(nodes=())
    for options in (tree_chart(empty, rules), tree_chart(None, None)):
        assert [root["name"] for root in options["series"][0]["data"]] == [""]


def test_the_title_says_that_a_tree_is_cut_off():
    few, many = (
        SimpleNamespace(simulations=10_000, num_visited=count)
        for count in (MOST_NODES, MOST_NODES + 1)
    )
    assert search_title("mcts", few) == "mcts: 10,000 simulations"
    assert search_title("mcts", many).endswith("; the tree shows its 60 most visited positions")
