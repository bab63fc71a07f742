"""The matches of a study's tournament that a later session reads."""

import json

import numpy as np
import pytest

from azjax.agents.evaluated_agent import load_evaluated_agent
from azjax.agents.match_log import read_matches
from azjax.studies.evaluations import final_evaluations, read_evaluations
from azjax.studies.ratings import games_per_match


@pytest.mark.parametrize(
    ("matches", "games"), [(1, 200), (25, 200), (66, 74), (300, 16), (1770, 10), (9000, 10)]
)
def test_the_games_of_a_match_fall_with_the_number_of_matches(matches, games):
    assert games_per_match(matches) == games


@pytest.mark.slow
def test_all_agents_play_with_the_search_that_evaluates_them(done):
    for row in final_evaluations(read_evaluations(done)):
        player = load_evaluated_agent(done.agent_name(row)).player()
        search, numbers = player.act.config, player.parameters.hyperparameters
        assert (search.algorithm, search.num_simulations) == done.evaluation == ("puct", 2)
        assert (numbers.c_puct, numbers.dirichlet_fraction) == (2.0, 0.0)


def test_matches_of_the_same_networks_are_read_in_any_order(tmp_path):
    lines = [
        {"first": "a@4", "second": "b@4", "rewards": [[1, 0], [1, -1]]},
        {"first": "a@2", "second": "b@4", "rewards": [[1, 1], [1, 1]]},  # an earlier network
    ]
    path = tmp_path / "matches.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines) + '{"first": "a@4"')
    [match] = read_matches(path, ["a@4", "b@4"])
    assert match[:2] == (0, 1)
    np.testing.assert_array_equal(match.result.rewards, [[1, 0], [1, -1]])
    [match] = read_matches(path, ["b@4", "new@4", "a@4"])
    assert match[:2] == (0, 2)
    # By pair of games: as first player of the match, b is in seat 0 where a was in seat 1.
    np.testing.assert_array_equal(match.result.rewards, [[0, -1], [1, -1]])
    assert read_matches(tmp_path / "none", ["a@4"]) == []
