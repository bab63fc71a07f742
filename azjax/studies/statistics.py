"""What few seeds can say: interquartile means, improvement, and intervals by bootstrap.

The definitions are those of Agarwal et al., "Deep reinforcement learning at the edge of the
statistical precipice", NeurIPS 2021, and of their library rliable.
"""

from collections.abc import Callable

import numpy as np
import scipy.stats

from azjax.evaluation import Interval

_DRAWS = 2000
_LARGEST = 2**22  # numbers that are drawn at once


def interquartile_mean(scores: np.ndarray) -> np.ndarray:
    """Returns [...]: the mean of the middle half of the scores of all tasks and seeds together.

    A quarter of them, rounded down, is left out at either end: with fewer than four it is the mean.

    Args:
      scores: [..., tasks, seeds].
    """
    *leading, num_tasks, num_seeds = scores.shape
    together = scores.reshape(*leading, num_tasks * num_seeds)  # -1 would not do for no points
    return scipy.stats.trim_mean(together, proportiontocut=0.25, axis=-1)


def probability_of_improvement(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Returns [...]: P(X > Y) + P(X = Y) / 2 for a seed each of first and second, mean over tasks.

    Args:
      first: [..., tasks, seeds of the first].
      second: [..., tasks, seeds of the second].
    """
    lead = first[..., :, None] - second[..., None, :]
    return ((1 + np.sign(lead)) / 2).mean(axis=(-3, -2, -1))


def bootstrap_interval(
    statistic: Callable[..., np.ndarray], *scores: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Returns the lower and upper ends [...] of a statistic's 95% percentile intervals.

    The bootstrap is stratified: each task's seeds are drawn anew, with replacement, apart from the
    other tasks'. One draw serves all of the leading axes, so that the points of a curve move
    together as a seed's do.

    Args:
      statistic: Maps arrays [..., tasks, seeds] to one array [...].
      *scores: What it is a statistic of, each [..., tasks, seeds].
    """
    generator = np.random.default_rng(0)
    at_once = max(1, _LARGEST // max(1, *(s.size for s in scores)))
    drawn = []
    while (left := _DRAWS - sum(map(len, drawn))) > 0:
        resampled = (_resample(generator, s, min(left, at_once)) for s in scores)
        drawn.append(statistic(*resampled))
    low, high = np.quantile(np.concatenate(drawn), [0.025, 0.975], axis=0)
    return low, high


def interval(statistic: Callable[..., np.ndarray], *scores: np.ndarray) -> Interval:
    """Returns the 95% interval of a single number, as `bootstrap_interval` does of many."""
    low, high = bootstrap_interval(statistic, *scores)
    return Interval(float(low), float(high))


def _resample(generator: np.random.Generator, scores: np.ndarray, num_draws: int) -> np.ndarray:
    """Returns [draws, ..., tasks, seeds]."""
    num_tasks, num_seeds = scores.shape[-2:]
    seeds = generator.integers(num_seeds, size=(num_draws, num_tasks, num_seeds))
    resampled = scores[..., np.arange(num_tasks)[:, None], seeds]  # [..., draws, tasks, seeds]
    return np.moveaxis(resampled, -3, 0)
