"""Intervals of means over few seeds: they cover as often as they say, from both sources of chance.

Answers are simulated from a mixed logistic model: each seed and each position has an effect of its
own, and so has their pair. The true accuracy is known from the distribution of the effects.
"""

import numpy as np
import pytest
import scipy  # which imports its parts where they are used

from azjax.evaluation.intervals import (
    INTERVAL,
    detectable_difference,
    estimate_mean,
    estimate_probability,
    estimate_share,
)

SEEDS = pytest.mark.parametrize("num_seeds", [3, 8])
NUM_POSITIONS, NUM_STUDIES = 200, 1000
POSITION_EFFECT, PAIR_EFFECT = 2.0, 1.0  # standard deviations, in logits


def share_of_coverage(estimates, truth):
    return np.mean([e.interval is not None and e.low <= truth <= e.high for e in estimates])


def logistic(x):
    return 1 / (1 + np.exp(-x))


def true_share(level, *effects):
    """Returns the mean of a logistic of normal effects, by Gauss-Hermite quadrature."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(99)
    return logistic(level + nodes * np.linalg.norm(effects)) @ weights / weights.sum()


def sample_answers(generator, level, seed_effect, num_seeds, positions):
    """Returns [studies, seeds, positions] bool; position effects are [studies, 1, positions]."""
    shape = (NUM_STUDIES, num_seeds, NUM_POSITIONS)
    seeds = seed_effect * generator.normal(size=(*shape[:2], 1))
    pairs = PAIR_EFFECT * generator.normal(size=shape)
    return generator.random(shape) < logistic(level + seeds + positions + pairs)


def sample_positions(generator, scale=POSITION_EFFECT):
    return scale * generator.normal(size=(NUM_STUDIES, 1, NUM_POSITIONS))


@SEEDS
def test_a_mean_of_normal_data_is_covered(num_seeds):
    samples = np.random.default_rng(0).normal(7.0, 2.0, size=(2000, num_seeds))
    assert share_of_coverage(map(estimate_mean, samples), 7.0) == pytest.approx(0.95, abs=0.015)


def test_a_probability_of_improvement_is_mann_whitneys_u_averaged_over_tasks():
    x, y = np.random.default_rng(1).integers(0, 5, (2, 7)).astype(float)
    u = scipy.stats.mannwhitneyu(x, y).statistic  # it counts ties half
    assert estimate_probability(x[None], y[None]).mean == pytest.approx(u / 7**2)
    tasks = np.array([[1.0, 2.0], [5.0, 6.0]]), np.array([[3.0, 3.0], [0.0, 0.0]])
    assert estimate_probability(*tasks).mean == 0.5


@SEEDS
@pytest.mark.parametrize("distance", [0.0, 2.0])
def test_a_probability_of_improvement_is_covered(num_seeds, distance):
    x, y = np.random.default_rng(0).normal(0.0, 1.0, size=(2, 1000, 1, num_seeds))
    found = map(estimate_probability, x + distance, y)
    truth = scipy.stats.norm.cdf(distance / np.sqrt(2))
    low = 0.88 if num_seeds == 3 else 0.92
    assert low < share_of_coverage(found, truth) < 0.98


def test_a_detectable_difference_is_found_in_four_of_five_studies():
    samples = np.random.default_rng(3).normal(size=(4000, 6))
    difference = np.mean([detectable_difference(sample) for sample in samples])
    lows = np.array([estimate_mean(sample + difference).low for sample in samples])
    assert (lows > 0).mean() == pytest.approx(0.8, abs=0.05)


@SEEDS
def test_intervals_of_three_comparisons_hold_together(num_seeds):
    samples = np.random.default_rng(5).normal(0.3, size=(2000, 3, num_seeds))
    found = [[estimate_mean(one, num_comparisons=3) for one in sample] for sample in samples]
    holds = [share_of_coverage(sample, 0.3) == 1 for sample in found]
    assert np.mean(holds) == pytest.approx(0.95, abs=0.015)


@SEEDS
def test_a_share_of_normal_data_is_covered(num_seeds):
    truth = 0.9
    samples = np.random.default_rng(1).normal(truth, 0.02, size=(2000, num_seeds))
    assert 0.92 <= share_of_coverage(map(estimate_share, samples), truth) <= 0.98


@SEEDS
@pytest.mark.parametrize(("level", "seed_effect"), [(2.5, 0.02), (4.5, 0.3)])
def test_accuracy_is_covered_where_seeds_and_positions_are_sampled(num_seeds, level, seed_effect):
    generator = np.random.default_rng(2)
    answers = sample_answers(generator, level, seed_effect, num_seeds, sample_positions(generator))
    truth = true_share(level, seed_effect, POSITION_EFFECT, PAIR_EFFECT)
    assert 0.92 <= share_of_coverage(map(estimate_share, answers), truth) <= 0.98


@SEEDS
def test_a_difference_is_covered_where_both_answer_the_same_positions(num_seeds):
    generator, seed_effect = np.random.default_rng(3), 0.3
    shared = sample_positions(generator)
    sides = [
        sample_answers(generator, level, seed_effect, num_seeds, shared + own).astype(float)
        for level in (2.5, 2.0)
        for own in [sample_positions(generator, scale=0.5)]
    ]
    first, second = (
        true_share(level, seed_effect, POSITION_EFFECT, 0.5, PAIR_EFFECT) for level in (2.5, 2.0)
    )
    covered = share_of_coverage(map(estimate_mean, sides[0] - sides[1]), first - second)
    assert 0.92 <= covered <= 0.98


def test_seeds_alone_would_not_cover_where_positions_are_sampled():
    generator = np.random.default_rng(2)
    answers = sample_answers(generator, 2.5, 0.02, 8, sample_positions(generator))
    truth = true_share(2.5, 0.02, POSITION_EFFECT, PAIR_EFFECT)
    assert share_of_coverage(map(estimate_share, answers.mean(axis=2)), truth) < 0.8


def test_the_interval_of_a_mean_is_that_of_student_s_t():
    values = np.array([0.80, 0.82, 0.84])
    found = estimate_mean(values)
    expected = scipy.stats.t.interval(0.95, 2, loc=0.82, scale=0.02 / np.sqrt(3))
    assert found.interval == pytest.approx(expected)
    assert (found.mean, found.kind) == (pytest.approx(0.82), INTERVAL)


def test_without_sampled_positions_an_interval_is_that_of_the_seeds():
    """Every seed answers all positions equally: what varies are the seeds."""
    values = np.array([0.80, 0.82, 0.84])
    found = estimate_mean(np.tile(values[:, None], 50))
    assert found.interval == pytest.approx(estimate_mean(values).interval)


@pytest.mark.parametrize("values", [[0.9, 1.0, 1.0], [0.0, 0.0, 0.1]])
def test_the_interval_of_a_share_stays_within_0_and_1(values):
    found = estimate_share(np.array(values))
    assert 0 < found.low < found.mean < found.high < 1
    assert not 0 <= estimate_mean(np.array(values)).low <= estimate_mean(np.array(values)).high <= 1


def test_scores_that_tell_nothing_have_the_widest_interval():
    """Three seeds that agree in nothing, in two positions: the degrees of freedom are a tenth."""
    assert estimate_share(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]))[1:3] == (0, 1)


@pytest.mark.parametrize("values", [[0.93], [0.9, 0.92], [1.0, 1.0, 1.0]])
def test_one_or_two_seeds_and_seeds_all_alike_have_a_range(values):
    for scores in (np.array(values), np.tile(np.array(values)[:, None], 1)):
        for found in (estimate_mean(scores), estimate_share(scores)):
            assert (found.low, found.high) == (min(values), max(values))
            assert found.interval is None
            assert found.kind == f"range of {len(values)} seed{'s' * (len(values) > 1)}"
