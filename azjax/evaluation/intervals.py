"""What a match of paired games says about the expected score, with its uncertainty."""

from typing import NamedTuple

import numpy as np

PAIR_SCORES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])  # per game, of two games
_PRIOR = 0.2  # pairs of each kind that are taken as seen before: one in all
_DRAWS = 20_000


class Interval(NamedTuple):
    """A 95% interval."""

    low: float
    high: float


class ScorePosterior(NamedTuple):
    """What is known of a player's expected score per game."""

    interval: Interval
    probability_stronger: float  # that it is above one half


def score_posterior(pair_counts: np.ndarray) -> ScorePosterior:
    """Returns the belief after a number of pairs of each score.

    A pair is the two games of one opening with seats swapped: they are not independent, pairs are.
    The five frequencies have a Dirichlet posterior under a prior that weighs one pair, so that a
    match won in every game leaves room for doubt. Draws make the interval narrow, as they should.

    Args:
      pair_counts: [5] pairs by their score per game, as in PAIR_SCORES.
    """
    generator = np.random.default_rng(0)
    frequencies = generator.dirichlet(np.asarray(pair_counts) + _PRIOR, size=_DRAWS)
    scores = frequencies @ PAIR_SCORES
    low, high = np.quantile(scores, [0.025, 0.975]).tolist()
    # The prior pulls inwards: next to a match won in every game it would leave out what was seen.
    seen = float(np.average(PAIR_SCORES, weights=pair_counts))
    low, high = min(low, seen), max(high, seen)
    # A symmetric belief is one half, and not what the finite sample makes of it.
    is_even = np.array_equal(pair_counts, pair_counts[::-1])
    return ScorePosterior(Interval(low, high), 0.5 if is_even else float((scores > 0.5).mean()))
