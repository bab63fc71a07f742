"""Statistics of a study: estimates as columns of its tables, and the probability of improvement."""

import numpy as np

from azjax.evaluation import Estimate
from azjax.support.files.tables import Row

_DECIMALS = 6  # more than any estimate has


def columns_of(name: str, estimate: Estimate, prefix: str = "") -> Row:
    """Returns an estimate as columns: its name, and with the prefix `low`, `high` and `kind`."""
    return {
        name: round(estimate.mean, _DECIMALS),
        f"{prefix}low": round(estimate.low, _DECIMALS),
        f"{prefix}high": round(estimate.high, _DECIMALS),
        f"{prefix}kind": estimate.kind,
    }


def probability_of_improvement(first: np.ndarray, second: np.ndarray) -> float:
    """Returns P(X > Y) + P(X = Y) / 2, the mean over tasks.

    X and Y are the scores of random seeds of the first and the second algorithm. Agarwal et al.,
    "Deep reinforcement learning at the edge of the statistical precipice", NeurIPS 2021.

    Args:
      first: [tasks, seeds of the first].
      second: [tasks, seeds of the second].
    """
    difference = first[:, :, None] - second[:, None, :]
    return float(((1 + np.sign(difference)) / 2).mean())
