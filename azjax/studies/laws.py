"""Scaling laws: how errors fall with the operations of training and of play.

Jones, "Scaling Scaling Laws with Board Games" (arXiv 2104.03113); Neumann and Gros, "Scaling Laws
for a Multi-Agent Reinforcement Learning Model" (ICLR 2023).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

_RESAMPLES = 1000
_END = 97.5  # percentile: the ends of ranges of 95%


class Trained(NamedTuple):
    """The networks of one configuration at the end of their training."""

    name: str
    parameters: int
    training: float  # operations
    play: np.ndarray  # [N] operations of a move, by the number of simulations at play
    wrong: np.ndarray  # [N, seeds, P] whether the agent missed the best moves
    elo: np.ndarray  # [seeds]

    @property
    def errors(self) -> np.ndarray:
        """[N] shares of errors, half a position more, so that they have a logarithm."""
        wrong = self.wrong.mean(axis=1)
        return (wrong.sum(axis=-1) + 0.5) / (wrong.shape[-1] + 1)


class Laws(NamedTuple):
    """Fits to the frontier: the configurations that no cheaper one equals."""

    frontier: list[int]  # which configurations, cheapest first
    errors: float  # exponent of the operations of training in the errors
    elo: float  # for ten times the operations of training
    size: float  # exponent of the operations of training in the best number of parameters
    trade: float  # times the operations of play that do what ten times those of training do


def fit_laws(cells: Sequence[Trained]) -> Laws:
    """Fits power laws by least squares of logarithms over the frontier of the first numbers.

    A law is NaN where the frontier has too few configurations, or operations are not known.
    """
    found = np.stack([cell.errors for cell in cells])  # [cells, N]
    frontier = _frontier(np.array([cell.training for cell in cells]), found[:, 0])
    best = [cells[i] for i in frontier]
    training = np.log([cell.training for cell in best])
    log_errors = np.log(found[frontier])  # [frontier, N]
    play = np.log([cell.play for cell in best])  # [frontier, N]
    both = np.stack([np.broadcast_to(training[:, None], play.shape), play], axis=-1)
    of_training, of_play = _slopes(both.reshape(-1, 2), log_errors.ravel())
    return Laws(
        frontier,
        _slopes(training[:, None], log_errors[:, 0])[0],
        _slopes(training[:, None], np.array([cell.elo.mean() for cell in best]))[0] * np.log(10),
        _slopes(training[:, None], np.log([cell.parameters for cell in best]))[0],
        float(10 ** (of_training / of_play)) if of_play else np.nan,
    )


def resample(cells: Sequence[Trained], *, is_sample: bool) -> dict[str, tuple[float, float]]:
    """Returns what 95% of the fits to resampled seeds, and positions, range over, by name.

    The frontier is found anew in each resample, so that the choice of the best counts as chance.
    The range of few seeds is too narrow for an interval.

    Args:
      cells: The configurations.
      is_sample: Whether the positions are a sample of the game's.
    """
    rng = np.random.default_rng(0)
    _, num_seeds, num_positions = cells[0].wrong.shape
    fits = []
    for _ in range(_RESAMPLES):
        all_of_them = np.arange(num_positions)
        positions = rng.choice(all_of_them, num_positions) if is_sample else all_of_them
        resampled = []
        for cell in cells:
            seeds = rng.integers(num_seeds, size=num_seeds)
            wrong = cell.wrong[:, seeds][:, :, positions]
            resampled.append(cell._replace(wrong=wrong, elo=cell.elo[seeds]))
        fits.append(fit_laws(resampled)[1:])
    low, high = np.nanpercentile(fits, [100 - _END, _END], axis=0)
    return dict(zip(Laws._fields[1:], zip(low.tolist(), high.tolist(), strict=True), strict=True))


def _frontier(operations: np.ndarray, errors: np.ndarray) -> list[int]:
    """Returns the indices of those with fewer errors than all cheaper ones, cheapest first."""
    frontier: list[int] = []
    for i in np.lexsort((errors, operations)):
        if not frontier or errors[i] < errors[frontier[-1]]:
            frontier.append(int(i))
    return frontier


def _slopes(x: np.ndarray, y: np.ndarray) -> list[float]:
    """Returns the slopes of y [M] in the columns of x [M, K]; NaN if too few points are known."""
    design = np.column_stack([x, np.ones(len(x))])
    if np.isnan(design).any() or np.linalg.matrix_rank(design) < design.shape[1]:
        return [np.nan] * x.shape[1]
    return np.linalg.lstsq(design, y, rcond=None)[0][:-1].tolist()
