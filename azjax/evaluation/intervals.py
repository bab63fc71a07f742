"""Means over few seeds, with 95% intervals where a method covers, else with their range.

Seeds are one source of chance. Where accuracy is measured on a sample of a game's positions, the
positions are another one: all seeds answer the same positions, so both sources are crossed.
Scores have the shape [seeds], or [seeds, positions] where the positions are sampled.
"""

import math
from typing import NamedTuple

import numpy as np

from azjax.support.plurals import count

INTERVAL = "95% interval"
_FEWEST_SEEDS = 3  # of an interval; two seeds give a wider one than anything it could tell
_ROUNDING = 1e-9  # smaller standard errors are rounding errors


class Interval(NamedTuple):
    """A 95% interval."""

    low: float
    high: float


class Estimate(NamedTuple):
    """A mean with its interval, or with the range of the seeds where there is no interval."""

    mean: float
    low: float
    high: float
    kind: str  # INTERVAL, or such as "range of 2 seeds"

    @property
    def interval(self) -> Interval | None:
        """The interval, or None."""
        return Interval(self.low, self.high) if self.kind == INTERVAL else None


def estimate_mean(scores: np.ndarray, num_comparisons: int = 1) -> Estimate:
    """Returns the mean m of scores with the interval m +- t(0.975, df) SE.

    For [seeds] it is Student's interval, which is exact for normal data. For [seeds, positions] see
    `_standard_error`. Fewer than three seeds give no interval, and neither do seeds that are all
    alike: they give no width, though another seed may differ. By Bonferroni's method intervals are
    widened so that `num_comparisons` hold together with 95%.
    """
    mean, half = float(scores.mean()), _half_width(scores, num_comparisons)
    if half is None:
        return _range(scores)
    return Estimate(mean, mean - half, mean + half, INTERVAL)


def estimate_share(scores: np.ndarray) -> Estimate:
    """Returns the mean of scores from 0 to 1, with an interval that stays between 0 and 1.

    It is the interval of `estimate_mean` on the scale of the logit, log(m / (1 - m)). Its standard
    error is SE / (m (1 - m)) by the delta method. It covers better near 0 and 1.
    """
    import scipy.special  # importing it takes longer than --help should

    mean, half = float(scores.mean()), _half_width(scores)
    if half is None:
        return _range(scores)
    logit, width = math.log(mean / (1 - mean)), half / (mean * (1 - mean))
    low, high = scipy.special.expit([logit - width, logit + width])
    return Estimate(mean, float(low), float(high), INTERVAL)


def estimate_probability(first: np.ndarray, second: np.ndarray) -> Estimate:
    """Returns P(X > Y) + P(X = Y) / 2, the mean over tasks: the probability of improvement.

    X and Y are the scores of random seeds of two algorithms (Agarwal et al., "Deep reinforcement
    learning at the edge of the statistical precipice", NeurIPS 2021). The interval has the
    probabilities t of which p is no more than 1.96 standard errors away; their variance is

      t (1 - t) (1 + (n - 1) ((1 - t) / (2 - t) + t / (1 + t))) / n^2 / tasks

    ("Confidence intervals for an effect size measure based on the Mann-Whitney statistic, part 2",
    Newcombe, Statistics in Medicine 2006, method 5). It has a width also where p is 0 or 1.

    Args:
      first: [tasks, n] scores of the first algorithm, by seed.
      second: [tasks, n] of the second.
    """
    p = float((1 + np.sign(first[:, :, None] - second[:, None, :])).mean() / 2)
    num_tasks, n = first.shape
    if n < _FEWEST_SEEDS:
        return Estimate(p, p, p, describe_kind(n))
    t = np.linspace(0, 1, 2001)
    variance = t * (1 - t) * (1 + (n - 1) * ((1 - t) / (2 - t) + t / (1 + t))) / n**2 / num_tasks
    covered = t[np.abs(t - p) <= 1.96 * np.sqrt(variance) + _ROUNDING]
    return Estimate(p, min(p, float(covered[0])), max(p, float(covered[-1])), INTERVAL)


def detectable_difference(differences: np.ndarray, num_comparisons: int = 1) -> float | None:
    """Returns the smallest true difference that is found in 80% of such studies, or None.

    It has a noncentral t distribution: its interval by `estimate_mean` is above 0 in 80%.
    """
    import scipy.special  # importing it takes longer than --help should

    half = _half_width(differences, num_comparisons)
    if half is None:
        return None
    error, degrees = _standard_error(differences)
    return error * float(scipy.special.nctdtrinc(degrees, 0.2, half / error))


def describe_kind(num_seeds: int) -> str:
    """Returns the kind of the estimates over so many seeds that are not all alike."""
    return INTERVAL if num_seeds >= _FEWEST_SEEDS else f"range of {count(num_seeds, 'seed')}"


def _range(scores: np.ndarray) -> Estimate:
    seeds = scores.reshape(len(scores), -1).mean(axis=1)
    values = float(seeds.mean()), float(seeds.min()), float(seeds.max())
    return Estimate(*values, f"range of {count(len(seeds), 'seed')}")


def _half_width(scores: np.ndarray, num_comparisons: int = 1) -> float | None:
    """Returns t(0.975, df) SE, or None where there is no interval."""
    import scipy.special  # importing it takes longer than --help should

    if len(scores) < _FEWEST_SEEDS or scores.shape[1:] == (1,):
        return None
    error, degrees = _standard_error(scores)
    if error < _ROUNDING:
        return None
    return error * float(scipy.special.stdtrit(degrees, 1 - 0.025 / num_comparisons))


def _standard_error(scores: np.ndarray) -> tuple[float, float]:
    """Returns the standard error of the mean, and its degrees of freedom.

    Scores [S, P] follow the two-way random effects model without replication,

      score[s, p] = mean + seed[s] + position[p] + residual[s, p],

    in which the variance of the mean is (MS_seeds + MS_positions - MS_residual) / (S P). Its
    degrees of freedom are Satterthwaite's, "An approximate distribution of estimates of
    variance components", Biometrics Bulletin 1946.
    """
    num_seeds = len(scores)
    if scores.ndim == 1:
        return float(scores.std(ddof=1)) / math.sqrt(num_seeds), num_seeds - 1
    num_positions = scores.shape[1]
    seeds, positions = scores.mean(axis=1), scores.mean(axis=0)
    residual = scores - seeds[:, None] - positions[None, :] + scores.mean()
    residual_degrees = (num_seeds - 1) * (num_positions - 1)
    of_seeds = float(seeds.var(ddof=1)) / num_seeds  # MS_seeds / (S P), and so on
    of_positions = float(positions.var(ddof=1)) / num_positions
    of_residual = float((residual**2).sum()) / residual_degrees / scores.size
    # No less than either source alone, which the difference can fall below by chance.
    variance = max(of_seeds + of_positions - of_residual, of_seeds, of_positions)
    spread = (
        of_seeds**2 / (num_seeds - 1)
        + of_positions**2 / (num_positions - 1)
        + of_residual**2 / residual_degrees
    )
    return math.sqrt(variance), variance**2 / spread if spread else residual_degrees
