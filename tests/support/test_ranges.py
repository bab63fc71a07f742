"""Ranges: what they refuse, and that declared ranges contain the defaults."""

import math

import pytest

from azjax.search import SearchHyperparameters, used_hyperparameters
from azjax.support.ranges import Range, declared_ranges
from azjax.training import Hyperparameters


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1.0, 1.0), "low=1.0 must be below high=1.0"),
        ((0.0, 1.0, True), "low=0.0 must be above 0 on a logarithmic scale"),
        ((math.nan, 1.0), "both must be finite"),
    ],
)
def test_a_wrong_range_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        Range(*arguments)


@pytest.mark.parametrize("kind", [Hyperparameters, SearchHyperparameters])
def test_a_declared_range_contains_the_default_and_some_fields_have_none(kind):
    ranges = declared_ranges(kind)
    assert ranges.keys() < set(kind._fields)
    for name, range_ in ranges.items():
        assert getattr(kind(), name) in range_, name


ALGORITHMS = ("gumbel", "puct", "uct", "policy", "policy_rollouts")


def test_each_number_of_the_search_belongs_to_one_algorithm():
    numbers = [n for a in ALGORITHMS for n in used_hyperparameters(a)]
    assert sorted(numbers) == sorted(SearchHyperparameters._fields)
