"""Statistics over seeds, against numbers computed by hand and against closed forms."""

import itertools

import numpy as np
import pytest
import scipy.stats

from azjax.studies.statistics import (
    bootstrap_interval,
    interquartile_mean,
    interval,
    probability_of_improvement,
)


def mean(scores):
    return scores.mean(axis=(-2, -1))


def test_the_interquartile_mean_leaves_out_a_quarter_at_either_end():
    assert interquartile_mean(np.array([[9.0, 1.0, 3.0, 2.0]])) == 2.5
    assert interquartile_mean(np.array([[100.0, 4.0, 5.0, 6.0, -50.0]])) == 5.0
    assert interquartile_mean(np.array([[1.0, 2.0, 9.0]])) == 4.0  # too few: the mean


def test_the_interquartile_mean_is_over_tasks_and_seeds_together():
    scores = np.array([[1.0, 2.0, 3.0, 4.0], [10.0, 20.0, 30.0, 40.0]])
    assert interquartile_mean(scores) == (3 + 4 + 10 + 20) / 4


def test_leading_axes_are_batch_axes():
    scores = np.random.default_rng(0).random((5, 2, 6))
    expected = [interquartile_mean(one) for one in scores]
    np.testing.assert_allclose(interquartile_mean(scores), expected)


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


def test_the_interval_of_a_mean_is_close_to_that_of_all_resamples():
    scores = np.array([[0.0, 1.0, 5.0, 2.0]])
    exact = [np.mean(choice) for choice in itertools.product(scores[0], repeat=4)]
    low, high = np.quantile(exact, [0.025, 0.975])
    found = interval(mean, scores)
    assert found.low == pytest.approx(low, abs=0.3)
    assert found.high == pytest.approx(high, abs=0.3)


def test_the_interval_of_a_mean_has_its_standard_errors_width():
    scores = np.random.default_rng(2).normal(size=(1, 400))
    found = interval(mean, scores)
    assert found.high - found.low == pytest.approx(2 * 1.96 / 20, rel=0.1)


def test_each_task_is_resampled_independently():
    # Were seeds resampled over both tasks together, the mean would vary around one half.
    scores = np.array([[0.0] * 5, [1.0] * 5])
    assert interval(mean, scores) == (0.5, 0.5)
    # Two tasks that cancel seed by seed: resampled independently, they do not.
    cancelling = np.array([[0.0, 1.0, 2.0, 3.0], [3.0, 2.0, 1.0, 0.0]])
    found = interval(mean, cancelling)
    assert found.low < 1.5 < found.high


def test_the_points_of_a_curve_are_resampled_together():
    curve = np.random.default_rng(3).random((1, 6))
    low, high = bootstrap_interval(lambda x: mean(x[:, 0] - x[:, 1]), np.stack([curve, curve + 1]))
    assert low == pytest.approx(-1)
    assert high == pytest.approx(-1)


def test_large_arrays_are_resampled_in_chunks(monkeypatch):
    scores = np.random.default_rng(4).random((3, 2, 5))
    whole = bootstrap_interval(mean, scores)
    monkeypatch.setattr("azjax.studies.statistics._MAX_SIZE", 10 * scores.size)
    np.testing.assert_allclose(bootstrap_interval(mean, scores), whole)


def test_an_improvement_has_an_interval():
    first, second = np.array([[1.0, 2.0, 4.0, 5.0]]), np.array([[0.0, 3.0, 3.5, 6.0]])
    found = interval(probability_of_improvement, first, second)
    assert 0 <= found.low < probability_of_improvement(first, second) < found.high <= 1
