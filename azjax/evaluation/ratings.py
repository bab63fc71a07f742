"""Ratings from matches: Bradley-Terry strengths with draws, with intervals."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy  # loads its submodules on first use

from azjax.evaluation.intervals import Interval
from azjax.evaluation.match_result import MatchResult

ELO = 400 / math.log(10)  # per unit of natural strength
_NUM_BOOTSTRAPS = 200
_L2_WEIGHT = 1e-4
_PSEUDO_GAME = (0.5, 0.0, 0.5)  # of every match: wins, draws and losses


class Match(NamedTuple):
    """A match between two of the rated players, given by their indices."""

    first: int
    second: int
    result: MatchResult  # player A is `first`


class Rating(NamedTuple):
    """A player's strength in Elo relative to the anchor."""

    elo: float
    interval: Interval


def rate(
    num_players: int,
    matches: Sequence[Match],
    anchor: int,
    seed: int = 0,
    *,
    same_openings: bool = True,
) -> list[Rating]:
    """Returns the players' ratings, with 95% intervals by Bayesian bootstrap.

    The model is Davidson's extension of Bradley-Terry: with strengths s_i and a common draw rate v,
    player i wins against j, draws, or loses in the proportion s_i : v sqrt(s_i s_j) : s_j.
    Davidson, "On extending the Bradley-Terry model to accommodate ties in paired comparison
    experiments", JASA 1970.

    Every match has one pseudo-game, half won and half lost. It keeps the rating of a player that
    won every game finite; the interval is then wide upwards.

    The bootstrap samples weights of the openings, and of the pseudo-games. Pairs from the same
    opening are dependent, and have the same weight in all matches. Rubin, "The Bayesian bootstrap",
    Annals of Statistics 1981.

    Args:
      num_players: n.
      matches: They must connect all players.
      anchor: The index of the player whose rating is 0.
      seed: The seed of the bootstrap.
      same_openings: Whether pairs with the same index come from the same opening in every match;
        else every pair has an opening of its own.
    """
    players = np.array([[match.first, match.second] for match in matches])
    counts = [_count_by_pair(match.result.rewards) for match in matches]
    outcomes = np.stack([c.sum(axis=0) for c in counts]) + _PSEUDO_GAME
    fitted = _fit(np.zeros(num_players), players, outcomes)
    generator = np.random.default_rng(seed)
    bootstraps = []
    for _ in range(_NUM_BOOTSTRAPS):
        outcomes = _resample(generator, counts, same_openings=same_openings)
        strengths = _fit(fitted, players, outcomes)
        bootstraps.append(strengths - strengths[anchor])
    low, high = ELO * np.quantile(bootstraps, [0.025, 0.975], axis=0)
    elo = ELO * (fitted - fitted[anchor])
    return [
        Rating(float(e), Interval(float(min(e, below)), float(max(e, above))))
        for e, below, above in zip(elo, low, high, strict=True)
    ]


def _resample(
    generator: np.random.Generator, counts: list[np.ndarray], *, same_openings: bool
) -> np.ndarray:
    """Returns [M, 3]: outcomes under sampled weights of the openings and the pseudo-games.

    Args:
      generator: Samples the weights.
      counts: [P, 3] of each of the M matches, whose numbers of pairs P may differ.
      same_openings: Whether pairs with the same index have the same weight in all matches.
    """
    most_pairs = max(map(len, counts))
    weights = generator.exponential(size=(1 if same_openings else len(counts), most_pairs))
    weights = np.broadcast_to(weights, (len(counts), most_pairs))
    weighted = [_weigh(c, w[: len(c)]) for c, w in zip(counts, weights, strict=True)]
    # Gamma weights of shape 1/2 have the mean 1/2: the pseudo-game as a Dirichlet prior.
    pseudo = generator.gamma(0.5, size=(len(counts), 3)) * (np.array(_PSEUDO_GAME) > 0)
    return np.stack(weighted) + pseudo


def _weigh(counts: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Returns [3]: as many games as in counts [P, 3], with the pairs' weights [P]."""
    return weights @ counts * len(counts) / weights.sum()


def _count_by_pair(rewards: np.ndarray) -> np.ndarray:
    """Returns [P, 3]: the games won, drawn and lost in each pair."""
    return np.stack([(rewards == reward).sum(axis=1) for reward in (1, 0, -1)], axis=1)


def _fit(start: np.ndarray, players: np.ndarray, outcomes: np.ndarray) -> np.ndarray:
    """Returns [n], the natural strengths of maximum likelihood, with mean 0.

    Args:
      start: [n], the initial strengths.
      players: [M, 2], the players of each match.
      outcomes: [M, 3], the wins, draws and losses of the first player.
    """
    first, second = players.T
    num_players = len(start)

    def loss(parameters):
        """Returns the negative log-likelihood, which is convex, and its gradient."""
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
        # L2 regularization: only differences of strengths are identified, and without a drawn game
        # the draw rate has no minimum.
        decay = _L2_WEIGHT * parameters
        total = (outcomes * (log_total - logits)).sum() + (decay @ parameters) / 2
        return total, gradient + decay

    found = scipy.optimize.minimize(loss, np.append(start, 0.0), jac=True, method="BFGS")
    strengths = found.x[:-1]
    return strengths - strengths.mean()
