"""Intervals for what a match has measured."""

import math
from typing import NamedTuple

_Z95 = 1.959964  # the standard normal distribution's 97.5% quantile


class Interval(NamedTuple):
    """A 95% confidence interval."""

    low: float
    high: float


def wilson_interval(score: float, num_games: int) -> Interval:
    """Returns the interval of the expected score per game, both within 0 and 1.

    Draws count one half; they make the true variance smaller than the binomial one assumed here,
    so with draws the interval is on the wide side. Wilson, "Probable inference, the law of
    succession, and statistical inference", JASA 1927.
    """
    n, z = num_games, _Z95
    centre = (score + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(score * (1 - score) / n + z * z / (4 * n * n))
    return Interval(max(0.0, centre - half), min(1.0, centre + half))
