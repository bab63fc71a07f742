"""Statistics over seeds, against numbers computed by hand and against closed forms."""

import numpy as np
import pytest
import scipy.stats

from azjax.evaluation import Estimate
from azjax.studies.statistics import columns_of, probability_of_improvement


def test_the_probability_of_improvement_counts_ties_half_and_averages_over_tasks():
    first, second = np.array([[1.0, 2.0]]), np.array([[1.0, 0.0, 3.0]])
    assert probability_of_improvement(first, second) == pytest.approx((0.5 + 1 + 0 + 1 + 1) / 6)
    tasks = np.array([[1.0, 2.0], [5.0, 6.0]]), np.array([[3.0], [0.0]])
    assert probability_of_improvement(*tasks) == 0.5


def test_the_probability_of_improvement_is_mann_whitneys_u():
    generator = np.random.default_rng(1)
    x, y = generator.integers(0, 5, 7).astype(float), generator.integers(0, 5, 4).astype(float)
    u = scipy.stats.mannwhitneyu(x, y).statistic
    assert probability_of_improvement(x[None], y[None]) == pytest.approx(u / (7 * 4))


def test_an_estimate_is_columns_of_a_table():
    estimate = Estimate(1 / 3, 0.25, 0.5, "95% interval")
    assert columns_of("mean", estimate) == {
        "mean": 0.333333,
        "low": 0.25,
        "high": 0.5,
        "kind": "95% interval",
    }
    assert list(columns_of("lead", estimate, "lead_")) == [
        "lead",
        "lead_low",
        "lead_high",
        "lead_kind",
    ]
