"""The configuration of a search, and its hyperparameters without noise."""

import re

import pytest

from azjax.search import SearchConfig, SearchHyperparameters, check_search_config


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            {"algorithm": "alphabeta"},
            "search.algorithm='alphabeta': must be gumbel, puct, uct, policy, "
            "policy_rollouts, mctx_gumbel, mctx_puct, or one of --plugin MODULE",
        ),
        ({"num_simulations": 0}, "search.num_simulations=0: must be at least 1"),
        ({"num_simulations": 2**21}, "search.num_simulations=2097152: must be at most 1048576"),
        (
            {"max_num_considered_actions": -1},
            "search.max_num_considered_actions=-1: must be at least 1",
        ),
    ],
)
def test_a_bad_configuration_is_refused_in_one_line(fields, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        check_search_config(SearchConfig(**fields))


def test_without_noise_changes_nothing_but_the_noise():
    loud = SearchHyperparameters(1.5, 0.2, 40.0, 2.0, 100.0, 0.7, 0.5, 3.0)
    quiet = SearchHyperparameters(0.0, 0.2, 40.0, 2.0, 100.0, 0.7, 0.0, 3.0)
    assert loud.without_noise() == quiet
