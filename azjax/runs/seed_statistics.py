"""Means over the seeds of a population, with their intervals."""

from typing import NamedTuple

import numpy as np

from azjax.evaluation import Interval
from azjax.runs.run_directory import RunDirectory


class SeedMean(NamedTuple):
    """The mean of a share over seeds."""

    mean: float
    interval: Interval | None  # of the mean; None where the seeds are one, or all alike


def mean_over_seeds(shares: list[float]) -> SeedMean:
    """Returns the mean of shares, with its 95% t-interval cut to [0, 1].

    Student's t, which is exact for normal data: m +- t(0.975, n - 1) s / sqrt(n). A percentile
    bootstrap over 3 to 5 seeds covers 75% to 89%. Seeds that are all alike give no width, though
    another seed may differ.

    Args:
      shares: One for each seed.
    """
    import scipy.stats  # importing it takes longer than --help should

    values = np.array(shares)
    mean = float(values.mean())
    if np.ptp(values) == 0:
        return SeedMean(mean, None)
    half = scipy.stats.t.ppf(0.975, len(values) - 1) * scipy.stats.sem(values)
    return SeedMean(mean, Interval(max(0.0, float(mean - half)), min(1.0, float(mean + half))))


def setting_of(run: RunDirectory) -> str:
    """Returns the hyperparameters in the name of a run's folder, without the seed."""
    return run.path.name.removesuffix(f"seed={run.seed}").removesuffix(",")
