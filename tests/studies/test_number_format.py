"""Numbers in reports: few digits, but none that misleads."""

import pytest

from azjax.studies.reporting.number_format import (
    decimals_for,
    in_points,
    percent,
    points,
    three_digits,
    with_ends,
)


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


@pytest.mark.parametrize(
    ("shares", "differences", "decimals"),
    [
        ([0.91, 0.88], [0.0283, 0.011], 1),
        ([0.9991, 0.9985], [0.0006], 2),  # both are 99.9%
        ([0.91, 0.88], [-0.0004, 0.02], 2),
        ([0.91, 0.91], [0.0, 0.02], 1),
        ([0.999999, 0.9], [0.1], 3),
    ],
)
def test_the_numbers_of_a_sentence_share_decimals(shares, differences, decimals):
    assert decimals_for(shares, differences) == decimals


@pytest.mark.parametrize(
    ("difference", "decimals", "text"),
    [(0.0283, 1, "2.8"), (-0.0004, 2, "-0.04"), (-1e-12, 1, "0.0")],
)
def test_differences_are_in_points(difference, decimals, text):
    assert points(difference, decimals) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.14427, "0.144"), (1.4, "1.40"), (45.67, "45.7"), (123.4, "123"), (12345.6, "12,346")],
)
def test_a_number_has_three_significant_digits(value, text):
    assert three_digits(value) == text


def estimate(low, high, kind="95% interval"):
    return {"mean": 0.00041, "low": low, "high": high, "kind": kind}


@pytest.mark.parametrize(
    ("row", "text"),
    [
        (estimate(-0.0001, 0.0996), "0.04 (-0.01 to 9.96)"),
        (estimate(-0.0001, 0.0996, "range of 2 seeds"), "0.04 (range of 2 seeds: -0.01 to 9.96)"),
        (estimate(0.00041, 0.00041, "range of 5 seeds"), "0.04"),
    ],
)
def test_the_ends_of_an_estimate_share_decimals_and_tell_what_they_are(row, text):
    assert with_ends(row, "mean", in_points) == text
    prefixed = {name if name == "mean" else f"lead_{name}": value for name, value in row.items()}
    assert with_ends(prefixed, "mean", in_points, "lead_") == text
