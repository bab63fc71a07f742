"""Curves, results and comparisons of made-up evaluations."""

import dataclasses

import numpy as np
import pytest

from azjax.evaluation import estimate_share
from azjax.studies.curves import Curve, band, common_end, curves_of, final_evaluations
from azjax.studies.study import Panel
from azjax.studies.summary import compare, results_of, summarize


def evaluation(cell, seed, positions, accuracy, speed=1.0, elo=0.0):
    row = {"cell": cell, "seed": seed, "positions": positions, "elo": elo}
    row |= {"evaluations": 5 * positions, "samples": positions, "operations": None}
    row |= {"seconds": positions / speed}
    accuracies = {"accuracy_search": accuracy, "accuracy_own_search": accuracy}
    return row | accuracies | {"accuracy_network": accuracy / 2}


# The fast cell plays twice the positions in the same time, and is less accurate at each of them.
EVALUATIONS = [
    *(evaluation("slow", 0, p, p / 100, elo=10.0) for p in (10, 20, 40)),
    *(evaluation("slow", 1, p, p / 100, elo=30.0) for p in (20, 50)),
    *(evaluation("fast", i, p, p / 120, speed=2.0, elo=20.0) for i in (0, 1) for p in (20, 80)),
]


def make_curve(x, y):
    return Curve(np.array(x, float), np.array(y, float))


def find(rows, **wanted):
    (row,) = [row for row in rows if all(row[k] == v for k, v in wanted.items())]
    return row


def test_a_band_covers_what_all_curves_cover():
    curves = curves_of(EVALUATIONS, "slow", "positions", "accuracy_search", {})
    assert [len(curve.x) for curve in curves] == [3, 2]
    x, mean, low, high, is_marked, kind = band(curves)
    np.testing.assert_array_equal(x, [20, 40])
    assert common_end(curves) == 40
    np.testing.assert_array_equal(is_marked, [True, True])
    np.testing.assert_allclose(mean, x / 100)  # both seeds lie on one line
    np.testing.assert_allclose(low, high)
    assert kind == "range of 2 seeds"


def test_a_band_is_as_wide_as_its_seeds():
    far = [make_curve([0, 1], [0.1, 0.1]), make_curve([0, 1], [0.5, 0.9])]
    found = band(far)
    np.testing.assert_allclose(found.mean, [0.3, 0.5])
    np.testing.assert_allclose(found.low, 0.1)
    np.testing.assert_allclose(found.high, [0.5, 0.9])
    of_three = band([*far, make_curve([0, 1], [0.3, 0.5])])
    assert of_three.kind == "95% interval"
    np.testing.assert_allclose(of_three.mean, found.mean)
    shares = estimate_share(np.array([0.1, 0.9, 0.5]))
    assert (of_three.low[1], of_three.high[1]) == pytest.approx((shares.low, shares.high))


def test_results_are_those_of_final_evaluations(study):
    finals = final_evaluations(EVALUATIONS)
    rows = summarize(study, finals, {}, results_of(study, finals))
    row = find(rows, cell="slow", result="accuracy_search")
    assert (row["rate"], row["seeds"], row["kind"]) == (0.001, 2, "range of 2 seeds")
    assert [row[name] for name in ("mean", "low", "high")] == pytest.approx([0.45, 0.4, 0.5])
    assert find(rows, cell="fast", result="elo")["mean"] == 20.0


def test_the_better_cell_depends_on_the_axis_that_is_equal(study):
    rows = compare(study, EVALUATIONS, final_evaluations(EVALUATIONS), {})
    of_search = {"first": "low", "second": "high", "result": "accuracy_search"}
    assert find(rows, **of_search, equal="positions")["probability"] == 1.0
    assert find(rows, **of_search, equal="evaluations")["probability"] == 1.0
    assert find(rows, **of_search, equal="seconds")["probability"] == 0.0
    rated = find(rows, result="elo")
    assert rated["probability"] == 0.5
    # Runs of the same seed: 10 - 20 and 30 - 20.
    assert (rated["difference"], rated["low"], rated["high"]) == (0.0, -10.0, 10.0)


def test_panels_with_the_same_labels_are_compared_together_too(study):
    panels = (
        Panel("a", {"low": "slow", "high": "fast"}),
        Panel("b", {"low": "fast", "high": "slow"}),
    )
    study = dataclasses.replace(study, panels=panels)

    rows = compare(study, EVALUATIONS, final_evaluations(EVALUATIONS), {})
    together = find(rows, where="all of them", result="accuracy_search", equal="seconds")
    assert together["probability"] == 0.5  # 0 in one task, 1 in the other
    assert together["difference"] == pytest.approx(0)
    other = (panels[0], Panel("c", {"low": "fast"}))
    assert len(dataclasses.replace(study, panels=other).comparisons) == 1
