"""`azjax search`; all searches here are of one size, so that one program is compiled."""

import re

import pytest
from command_line import assert_one_line

MCTS = ("search", "mcts:simulations=64", "--game", "tic_tac_toe")
WINNING = "XX./OO./... X"


def test_json_is_one_object_with_moves_in_notation(azjax):
    result = azjax(*MCTS, WINNING, "--json")
    assert (result.code, result.err) == (0, "")
    found = result.json
    assert (found["game"], found["position"]) == ("tic_tac_toe", WINNING)
    assert (found["action"], found["move"], found["principal_variation"]) == (2, "c1", ["c1"])
    assert 0.3 < found["value"] <= 1
    assert found["moves"][0]["move"] == "c1"
    assert found["moves"][0]["q_value"] == 1
    assert sum(row["visits"] for row in found["moves"]) == 64
    assert sum(row["policy"] for row in found["moves"]) == pytest.approx(1)


@pytest.mark.slow
def test_a_search_may_have_seconds_in_place_of_simulations(azjax):
    result = azjax("search", "mcts:search=puct", WINNING, "--game", "tic_tac_toe", "--seconds=0.2")
    assert (result.code, result.err) == (0, "")
    simulations = re.search(r"mcts:search=puct, puct with ([0-9,]+) simulations\n", result.out)
    assert int(simulations[1].replace(",", "")) > 20
    assert "principal variation: c1" in result.out.splitlines()


def test_the_seed_is_that_of_the_rollouts(azjax):
    first, again, other = (azjax(*MCTS, ".../.../... X", "--json", "--seed", i) for i in (0, 0, 1))
    assert first.out == again.out != other.out


@pytest.mark.parametrize(
    ("position", "words"),
    [
        ([], ["which position?", "'.../.../... X'"]),
        ([".../.../..."], ["does not end in the side to move", "'.../.../... X'"]),
        (["XX./.../... O"], ["take turns", "the start of tic_tac_toe is '.../.../... X'"]),
        (["XXX/OO./... O"], ["the game is over in this position"]),
    ],
)
def test_a_wrong_position_is_reported_with_an_example(azjax, position, words):
    result = azjax(*MCTS, *position)
    assert_one_line(result, 2, *words)
    assert result.err.count("'.../.../... X'") <= 1
