"""The posterior of a player's expected score after a match of many pairs of games."""

from typing import NamedTuple

import numpy as np

from azjax.evaluation.intervals import Interval

PAIR_SCORES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])  # per game, of two games
_PRIOR = 0.2  # pseudo-count of each pair score: one pair in all
_NUM_SAMPLES = 20_000


class ScorePosterior(NamedTuple):
    """The posterior of a player's expected score per game."""

    interval: Interval
    probability_stronger: float  # P(expected score > 1/2)


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
