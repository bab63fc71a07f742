"""The load on the page: what is printed of each part."""

import json

from script_loading import load


def test_a_part_in_which_nothing_was_answered_is_printed_too():
    script = load("page_load")
    row = script._summary(script.Measured(errors=3), minutes=1.0)
    assert row["errors"] == 3
    assert row["moves_per_second"] == 0
    assert row["median"] is row["page_95%"] is None
    json.dumps(row, allow_nan=False)


def test_quantiles_are_of_the_seconds_that_were_measured():
    script = load("page_load")
    row = script._summary(script.Measured(seconds=[1.0, 2.0, 4.0], page_seconds=[3.0]), minutes=1.0)
    assert (row["median"], row["longest"], row["page_median"]) == (2.0, 4.0, 3.0)
    assert row["moves_per_second"] == 0.05
