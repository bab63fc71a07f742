"""Statistics over few seeds: interquartile mean, probability of improvement, intervals.

The definitions of the mean, the probability and the bootstrap are those of Agarwal et al., "Deep
reinforcement learning at the edge of the statistical precipice", NeurIPS 2021, and of their library
rliable.
"""

from collections.abc import Callable

import numpy as np
import scipy.stats

from azjax.evaluation import Interval, student_interval

_NUM_RESAMPLES = 2000
_MAX_SIZE = 2**22  # numbers that are resampled at once
_ROUNDING = 1e-9  # smaller differences are rounding errors


def interquartile_mean(scores: np.ndarray) -> np.ndarray:
    """Returns [...]: the mean of the middle half of the scores of all tasks and seeds together.

    A quarter of the scores, rounded down, is cut off at either end. Of fewer than four scores it is
    the mean.

    Args:
      scores: [..., tasks, seeds].
    """
    *leading, num_tasks, num_seeds = scores.shape
    together = scores.reshape(*leading, num_tasks * num_seeds)  # -1 fails for 0 points
    return scipy.stats.trim_mean(together, proportiontocut=0.25, axis=-1)


def probability_of_improvement(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Returns [...]: P(X > Y) + P(X = Y) / 2, the mean over tasks.

    X and Y are the scores of random seeds of the first and the second algorithm.

    Args:
      first: [..., tasks, seeds of the first].
      second: [..., tasks, seeds of the second].
    """
    difference = first[..., :, None] - second[..., None, :]
    return ((1 + np.sign(difference)) / 2).mean(axis=(-3, -2, -1))


def bootstrap_interval(
    statistic: Callable[..., np.ndarray], *scores: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Returns the lower and upper ends [...] of a statistic's 95% percentile intervals.

    The bootstrap is stratified: the seeds of each task are resampled with replacement,
    independently of the other tasks. All leading axes share a resample of seeds, because the points
    of a curve are correlated.

    Args:
      statistic: Maps arrays [..., tasks, seeds] to one array [...].
      *scores: The arguments of the statistic, each [..., tasks, seeds].
    """
    generator = np.random.default_rng(0)
    chunk_size = max(1, _MAX_SIZE // max(1, *(s.size for s in scores)))
    chunks: list[np.ndarray] = []  # of the statistic of each resample, each [resamples, ...]
    for begin in range(0, _NUM_RESAMPLES, chunk_size):
        num_resamples = min(chunk_size, _NUM_RESAMPLES - begin)
        chunks.append(statistic(*(_resample(generator, s, num_resamples) for s in scores)))
    low, high = np.quantile(np.concatenate(chunks), [0.025, 0.975], axis=0)
    return low, high


def interval(statistic: Callable[..., np.ndarray], *scores: np.ndarray) -> Interval:
    """Returns the 95% interval of a statistic that is a single number."""
    low, high = bootstrap_interval(statistic, *scores)
    return Interval(float(low), float(high))


def paired_interval(differences: np.ndarray, num_comparisons: int = 1) -> Interval | None:
    """Returns `student_interval` of the mean of paired differences [seeds].

    Args:
      differences: One number for each seed.
      num_comparisons: The intervals that hold together.

    Returns:
      The interval; None for one seed, or for seeds whose differences are equal and not 0: such
      differences are too coarse to tell how they vary.
    """
    mean, num_seeds = float(differences.mean()), len(differences)
    spread = np.ptp(differences)
    if num_seeds < 2 or (spread < _ROUNDING < abs(mean)):
        return None
    return student_interval(differences, num_comparisons)


def _resample(generator: np.random.Generator, scores: np.ndarray, num_resamples: int) -> np.ndarray:
    """Returns [resamples, ..., tasks, seeds]."""
    num_tasks, num_seeds = scores.shape[-2:]
    seeds = generator.integers(num_seeds, size=(num_resamples, num_tasks, num_seeds))
    resampled = scores[..., np.arange(num_tasks)[:, None], seeds]  # [..., resamples, tasks, seeds]
    return np.moveaxis(resampled, -3, 0)
