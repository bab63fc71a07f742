"""The file of a tournament's matches gives each match back, whoever is named first."""

import json

import numpy as np
import pytest

from azjax.agents.tournament_record import append_match, read_matches
from azjax.evaluation import Match, MatchResult

NAMES = ["agent", "engine"]
RESULT = MatchResult(np.array([[1, 1], [0, 1], [-1, 1]], np.int8), forfeits=(1, 2))


@pytest.fixture
def file(tmp_path):
    append_match(tmp_path / "matches.jsonl", NAMES, Match(0, 1, RESULT))
    return tmp_path / "matches.jsonl"


def test_a_match_keeps_its_rewards_and_forfeits(file):
    [(first, second, result)] = read_matches(file, NAMES)
    assert (first, second, result.forfeits) == (0, 1, (1, 2))
    np.testing.assert_array_equal(result.rewards, RESULT.rewards)
    assert json.loads(file.read_text())["forfeits"] == [1, 2]


def test_a_match_is_turned_where_the_second_is_named_first(file):
    [(first, second, result)] = read_matches(file, NAMES[::-1])
    assert (first, second, result.forfeits) == (0, 1, (2, 1))
    np.testing.assert_array_equal(result.rewards, -RESULT.rewards[:, ::-1])
