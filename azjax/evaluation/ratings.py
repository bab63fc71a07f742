"""Ratings from the matches of a tournament: Bradley-Terry strengths with draws, with intervals."""

import dataclasses
import itertools
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import scipy  # loads its submodules on first use

from azjax.evaluation.intervals import Interval
from azjax.evaluation.match_result import MatchResult
from azjax.evaluation.matches import MatchSettings, OnGame, play_match
from azjax.evaluation.players.host_players import HostPlayer
from azjax.evaluation.players.player import Player
from azjax.games import Game

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


class Standings(NamedTuple):
    """The outcome of a tournament of n players."""

    ratings: list[Rating]  # n; the anchor's is 0
    scores: list[float]  # n, the mean over all opponents
    matches: list[Match]


def play_round_robin(
    game: Game,
    players: Sequence[Player | HostPlayer],
    anchor: int,
    settings: MatchSettings,
    on_match: Callable[[Match], None],
    played: Sequence[Match] = (),
    *,
    same_openings: bool = True,
    on_game: OnGame | None = None,
) -> Standings:
    """Plays a match between every two players, and rates them.

    Args:
      game: The rules.
      players: At least two.
      anchor: The index of the player whose rating is 0.
      settings: Of every match; if openings differ, each match has the next seed.
      on_match: Called after each match.
      played: Matches of the same tournament from an earlier session; they are not played again.
      same_openings: Whether all matches start from the same openings, which compares the players on
        equal terms. Else the errors of the ratings are nearly independent.
      on_game: Called after each game.

    Raises:
      ValueError: A setting is out of range; see `MatchSettings.check`.
    """
    matches = list(played)
    known = {(match.first, match.second) for match in played}
    for first, second in itertools.combinations(range(len(players)), 2):
        if (first, second) in known:
            continue
        seed = settings.seed if same_openings else settings.seed + len(matches)
        own_settings = dataclasses.replace(settings, seed=seed)
        result = play_match(game, players[first], players[second], own_settings, on_game)
        matches.append(Match(first, second, result))
        on_match(matches[-1])
    ratings = rate(len(players), matches, anchor, settings.seed, same_openings=same_openings)
    totals = np.zeros(len(players))
    for first, second, result in matches:
        totals[first] += result.score
        totals[second] += 1 - result.score
    return Standings(ratings, (totals / (len(players) - 1)).tolist(), matches)


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
      same_openings: As of `play_round_robin`: pairs of one index have one opening in all matches.
    """
    players = np.array([[match.first, match.second] for match in matches])
    counts = [  # [P, 3] of each match: the games won, drawn and lost in each pair
        np.stack([(match.result.rewards == reward).sum(axis=1) for reward in (1, 0, -1)], axis=1)
        for match in matches
    ]
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

    The M matches have counts [P, 3], where the number of pairs P may differ.
    """
    most_pairs = max(map(len, counts))
    weights = generator.exponential(size=(1 if same_openings else len(counts), most_pairs))
    weights = np.broadcast_to(weights, (len(counts), most_pairs))
    own_weights = (w[: len(c)] for c, w in zip(counts, weights, strict=True))
    # As many games as there are.
    weighted = [w @ c * len(c) / w.sum() for c, w in zip(counts, own_weights, strict=True)]
    # Gamma weights of shape 1/2 have the mean 1/2: the pseudo-game as a Dirichlet prior.
    pseudo = generator.gamma(0.5, size=(len(counts), 3)) * (np.array(_PSEUDO_GAME) > 0)
    return np.stack(weighted) + pseudo


def _fit(start: np.ndarray, players: np.ndarray, outcomes: np.ndarray) -> np.ndarray:
    """Returns [n], the natural strengths of maximum likelihood, with mean 0, from initial ones.

    The players are [M, 2], of each match; the outcomes [M, 3], of the first player.
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
