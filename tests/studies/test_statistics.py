"""Statistics over seeds, against numbers computed by hand and against closed forms."""

import itertools

import numpy as np
import pytest
import scipy.stats

from azjax.studies.statistics import (
    bootstrap_interval,
    interquartile_mean,
    interval,
    paired_interval,
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


@pytest.mark.parametrize("num_seeds", [3, 5, 8])
@pytest.mark.parametrize("num_comparisons", [1, 3])
def test_intervals_of_paired_differences_hold_as_often_as_they_say(num_seeds, num_comparisons):
    samples = np.random.default_rng(5).normal(0.3, size=(2000, num_comparisons, num_seeds))
    found = [[paired_interval(one, num_comparisons) for one in sample] for sample in samples]
    holds = [all(low <= 0.3 <= high for low, high in sample) for sample in found]
    assert np.mean(holds) == pytest.approx(0.95, abs=0.015)


@pytest.mark.parametrize("num_seeds", [3, 5, 8])
def test_the_interval_of_differences_of_saturated_accuracies_is_wide_enough(num_seeds):
    def accuracies(scale, shape):
        return np.minimum(1, generator.normal(1 - scale, scale, shape)).round(3)

    generator = np.random.default_rng(6)
    first, second = (accuracies(scale, (4000, num_seeds)) for scale in (0.004, 0.008))
    found = [paired_interval(one) for one in first - second]
    truth = (accuracies(0.004, 10**6) - accuracies(0.008, 10**6)).mean()
    holds = [low <= truth <= high for low, high in filter(None, found)]
    assert np.mean(holds) > 0.92


def test_seeds_that_do_not_vary_have_no_interval_unless_they_are_equal():
    assert paired_interval(np.array([0.1])) is None
    assert paired_interval(np.array([0.1, 0.1, 0.1])) is None
    assert paired_interval(np.zeros(3)) == (0, 0)
