"""Ratings from matches: Bradley-Terry strengths with draws, and how sure they are."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy  # its parts are loaded when they are first used

from azjax.evaluation.intervals import Interval
from azjax.evaluation.matches import MatchResult

ELO = 400 / math.log(10)  # per unit of natural strength
_BOOTSTRAPS = 200
_HOLD = 1e-4


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
    """Returns the players' ratings, the anchor's being 0, with 95% intervals by Bayesian bootstrap.

    Davidson's extension of the Bradley-Terry model: with strengths s_i and a common draw rate v,
    player i beats j, draws, or loses in the proportion s_i : v sqrt(s_i s_j) : s_j. Davidson, "On
    extending the Bradley-Terry model to accommodate ties in paired comparison experiments", JASA
    1970. Fitted by SciPy.

    Every match counts one game more, half won and half lost. A player who won them all so stays
    within reach, but how far away depends on how many they were: the interval then is wide upwards,
    and its lower end is what the match has shown.

    The bootstrap gives random weights to openings, the same in all matches, because pairs of games
    from the same opening are alike; and to the game that is added. Rubin, "The Bayesian bootstrap",
    Annals of Statistics 1981.

    Args:
      num_players: n.
      matches: At least so many that all players are connected, the pairs of each from the same
        openings in the same order.
      anchor: The player whose rating is 0.
      seed: Of the bootstrap.
    """
    players = np.array([[match.first, match.second] for match in matches])
    counts = [_count_by_pair(match.result.rewards) for match in matches]
    added = np.tile([0.5, 0.0, 0.5], (len(matches), 1))
    fitted = _fit(np.zeros(num_players), players, np.stack([c.sum(axis=0) for c in counts]) + added)
    generator = np.random.default_rng(seed)
    most_pairs = max(map(len, counts))
    bootstraps = []
    for _ in range(_BOOTSTRAPS):
        weights = generator.exponential(size=most_pairs)
        weighted = [weights[: len(c)] @ c * len(c) / weights[: len(c)].sum() for c in counts]
        # Gamma weights of shape 1/2, which have mean 1/2: a Dirichlet prior of that one game.
        drawn = generator.gamma(0.5, size=added.shape) * (added > 0)
        strengths = _fit(fitted, players, np.stack(weighted) + drawn)
        bootstraps.append(strengths - strengths[anchor])
    low, high = ELO * np.quantile(bootstraps, [0.025, 0.975], axis=0)
    elo = ELO * (fitted - fitted[anchor])
    return [
        Rating(float(e), Interval(float(min(e, below)), float(max(e, above))))
        for e, below, above in zip(elo, low, high, strict=True)
    ]


def _count_by_pair(rewards: np.ndarray) -> np.ndarray:
    """Returns [P, 3]: games won, drawn and lost in each pair."""
    return np.stack([(rewards == reward).sum(axis=1) for reward in (1, 0, -1)], axis=1)


def _fit(start: np.ndarray, players: np.ndarray, outcomes: np.ndarray) -> np.ndarray:
    """Returns [n] natural strengths of the highest likelihood, their mean 0.

    Args:
      start: [n] strengths to begin the search at.
      players: [M, 2] of each match.
      outcomes: [M, 3] wins, draws and losses of the first.
    """
    first, second = players.T
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
        hold = _HOLD * parameters
        total = (outcomes * (log_total - logits)).sum() + (hold @ parameters) / 2
        return total, gradient + hold

    found = scipy.optimize.minimize(loss, np.append(start, 0.0), jac=True, method="BFGS")
    strengths = found.x[:-1]
    return strengths - strengths.mean()
