"""Intervals: of a player's expected score after a match, and of a mean over few seeds."""

from typing import NamedTuple

import numpy as np

PAIR_SCORES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])  # per game, of two games
_PRIOR = 0.2  # pseudo-count of each pair score: one pair in all
_NUM_SAMPLES = 20_000


class Interval(NamedTuple):
    """A 95% interval."""

    low: float
    high: float


class ScorePosterior(NamedTuple):
    """The posterior of a player's expected score per game."""

    interval: Interval
    probability_stronger: float  # P(expected score > 1/2)


def student_interval(values: np.ndarray, num_comparisons: int = 1) -> Interval:
    """Returns Student's 95% t-interval of a mean: m +- t(0.975, n - 1) s / sqrt(n).

    It is exact for normal data however few; a percentile bootstrap over 3 to 5 values covers 75% to
    89%. Several intervals hold together with 95%: each is widened by Bonferroni's method.

    Args:
      values: [n], at least two.
      num_comparisons: The number of intervals that hold together.
    """
    import scipy.stats  # importing it takes longer than --help should

    quantile = scipy.stats.t.ppf(1 - 0.025 / num_comparisons, len(values) - 1)
    mean, half = float(values.mean()), float(quantile * scipy.stats.sem(values))
    return Interval(mean - half, mean + half)


def t_interval(shares: list[float]) -> Interval | None:
    """Returns `student_interval` of a few shares, cut to [0, 1].

    Args:
      shares: One for each seed.

    Returns:
      None for a single share, and where all are alike: they give no width, though another seed may
      differ.
    """
    values = np.array(shares)
    if np.ptp(values) == 0:
        return None
    low, high = student_interval(values)
    return Interval(max(0.0, low), min(1.0, high))


def score_posterior(pair_counts: np.ndarray) -> ScorePosterior:
    """Returns the posterior after a match.

    A pair is the two games of one opening with seats swapped. The games of a pair are dependent,
    the pairs are independent. The frequencies of the five pair scores have a Dirichlet posterior,
    under a prior with the weight of one pair; so the interval has a positive width even if every
    game was won.

    Args:
      pair_counts: [5], the number of pairs with each score of PAIR_SCORES.
    """
    generator = np.random.default_rng(0)
    frequencies = generator.dirichlet(np.asarray(pair_counts) + _PRIOR, size=_NUM_SAMPLES)
    scores = frequencies @ PAIR_SCORES
    low, high = np.quantile(scores, [0.025, 0.975]).tolist()
    # The prior shrinks the interval towards 1/2: if every game was won it would exclude the score.
    observed = float(np.average(PAIR_SCORES, weights=pair_counts))
    low, high = min(low, observed), max(high, observed)
    # Symmetric counts have the probability 1/2 exactly, without the sampling error.
    is_even = np.array_equal(pair_counts, pair_counts[::-1])
    return ScorePosterior(Interval(low, high), 0.5 if is_even else float((scores > 0.5).mean()))
