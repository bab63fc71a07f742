"""The checks of configurations."""

import math

import pytest

from azjax.support.validation import check_at_least, check_even, check_range


@pytest.mark.parametrize("value", [0, 0.5, -math.inf, math.nan])
def test_what_is_below_the_minimum_or_no_number_is_refused(value):
    check_at_least("size", 1, 1)
    with pytest.raises(ValueError, match=f"^size={value}: must be at least 1$"):
        check_at_least("size", value, 1)


@pytest.mark.parametrize("value", [-2, 0, 3])
def test_odd_or_too_few_are_refused(value):
    check_even("games", 2, 2)
    with pytest.raises(ValueError, match=f"^games={value}: must be even and at least 2$"):
        check_even("games", value, 2)


@pytest.mark.parametrize("value", [-1, 10, math.nan])
def test_a_range_has_both_ends(value):
    check_range("moves", 0, 0, 9)
    check_range("moves", 9, 0, 9)
    with pytest.raises(ValueError, match=f"^moves={value}: must be from 0 to 9$"):
        check_range("moves", value, 0, 9)
