"""Ranges: what they refuse."""

import pytest

from azjax.support.ranges import Range


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1.0, 1.0), "low=1.0 must be below high=1.0"),
        ((0.0, 1.0, True), "low=0.0 must be above 0 on a logarithmic scale"),
    ],
)
def test_a_wrong_range_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        Range(*arguments)
