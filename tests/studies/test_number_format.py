"""Numbers in reports: few digits, but none that misleads."""

import pytest

from azjax.studies.number_format import percent, points, three_digits


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.9667, "96.7%"),
        (1.0, "100.0%"),
        (1 - 1e-12, "100.0%"),
        (0.99956, "99.96%"),
        (0.999956, "99.996%"),
        (0.0, "0.0%"),
        (0.0004, "0.04%"),
    ],
)
def test_a_share_is_rounded_but_never_to_all_or_none(share, text):
    assert percent(share) == text


def test_points_share_decimals_and_are_not_rounded_to_zero():
    assert points([0.0283, 0.011, 0.04]) == ["2.8", "1.1", "4.0"]
    assert points([0.0, -0.0004, 0.02]) == ["0.00", "-0.04", "2.00"]
    assert points([0.0, -1e-12]) == ["0.0", "0.0"]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.14427, "0.144"), (1.4, "1.40"), (45.67, "45.7"), (123.4, "123"), (12345.6, "12,346")],
)
def test_a_number_has_three_significant_digits(value, text):
    assert three_digits(value) == text
