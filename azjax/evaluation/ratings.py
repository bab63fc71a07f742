"""Ratings from matches: Bradley-Terry strengths with draws, and how sure they are."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy.optimize
import scipy.special

from azjax.evaluation.intervals import Interval
from azjax.evaluation.matches import MatchResult

ELO = 400 / math.log(10)  # per unit of natural strength
_BOOTSTRAPS = 200


class Match(NamedTuple):
    """A match between two of the players rated, by their numbers."""

    first: int
    second: int
    result: MatchResult  # player A of it is `first`


class Rating(NamedTuple):
    """A player's strength in Elo above the anchor."""

    elo: float
    interval: Interval


def rate(num_players: int, matches: Sequence[Match], anchor: int, seed: int = 0) -> list[Rating]:
    """Returns the players' ratings, the anchor's being 0, with bootstrap intervals over pairs.

    Davidson's extension of the Bradley-Terry model: with strengths s_i and a common draw rate v,
    player i beats j, draws, or loses in the proportion s_i : v sqrt(s_i s_j) : s_j. Davidson, "On
    extending the Bradley-Terry model to accommodate ties in paired comparison experiments", JASA
    1970. Every match counts one game more, half won and half lost, so that a player who won
    them all stays within finite reach. Fitted by SciPy.

    Args:
      num_players: n.
      matches: At least so many that all players are connected.
      anchor: The player whose rating is 0.
      seed: Of the bootstrap.
    """
    pairs = np.array([[match.first, match.second] for match in matches])
    start = np.zeros(num_players)
    fitted = _fit(start, pairs, np.stack([_outcomes(match.result.rewards) for match in matches]))
    generator = np.random.default_rng(seed)
    bootstraps = []
    for _ in range(_BOOTSTRAPS):
        outcomes = np.stack([_outcomes(_resample(match, generator)) for match in matches])
        strengths = _fit(fitted, pairs, outcomes)
        bootstraps.append(strengths - strengths[anchor])
    low, high = ELO * np.quantile(bootstraps, [0.025, 0.975], axis=0)
    elo = ELO * (fitted - fitted[anchor])
    return [
        Rating(float(elo[i]), Interval(float(low[i]), float(high[i]))) for i in range(num_players)
    ]


def _resample(match: Match, generator: np.random.Generator) -> np.ndarray:
    """Returns as many pairs of games as were played, drawn from them with replacement."""
    rewards = match.result.rewards
    return rewards[generator.integers(len(rewards), size=len(rewards))]


def _outcomes(rewards: np.ndarray) -> np.ndarray:
    """Returns [3]: games won, drawn and lost, with one game more than there were."""
    return np.array([(rewards == reward).sum() for reward in (1, 0, -1)]) + np.array([0.5, 0, 0.5])


def _fit(start: np.ndarray, pairs: np.ndarray, outcomes: np.ndarray) -> np.ndarray:
    """Returns [n] natural strengths of the highest likelihood, their mean 0.

    Args:
      start: [n] strengths to begin the search at.
      pairs: [M, 2] the players of each match.
      outcomes: [M, 3] wins, draws and losses of the first.
    """
    first, second = pairs.T
    num_players = len(start)

    def loss(parameters):
        """Returns the negative log-likelihood and its gradient; it is convex."""
        strengths, log_draw = parameters[:-1], parameters[-1]
        lead = (strengths[first] - strengths[second]) / 2
        logits = np.stack([lead, np.full_like(lead, log_draw), -lead], axis=1)
        log_total = scipy.special.logsumexp(logits, axis=1, keepdims=True)
        excess = outcomes.sum(axis=1, keepdims=True) * np.exp(logits - log_total) - outcomes
        by_lead = (excess[:, 0] - excess[:, 2]) / 2
        gradient = np.zeros(num_players + 1)
        np.add.at(gradient, first, by_lead)
        np.add.at(gradient, second, -by_lead)
        gradient[-1] = excess[:, 1].sum()
        # Only differences count, and without draws their rate has no lowest: both are held down.
        hold = 1e-3 * parameters
        total = (outcomes * (log_total - logits)).sum() + (hold @ parameters) / 2
        return total, gradient + hold

    found = scipy.optimize.minimize(loss, np.append(start, 0.0), jac=True, method="BFGS")
    strengths = found.x[:-1]
    return strengths - strengths.mean()
