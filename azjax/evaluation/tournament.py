"""Tournaments: every player against every other, and what that says of their strength."""

import itertools
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from azjax.evaluation.matches import play_match
from azjax.evaluation.players import Player
from azjax.evaluation.ratings import Match, Rating, rate
from azjax.games import Game


class Standings(NamedTuple):
    """The outcome of a tournament of n players."""

    ratings: list[Rating]  # n, the anchor's 0
    scores: list[float]  # n, the mean per game
    matches: list[Match]


def play_round_robin(
    game: Game,
    players: Sequence[Player],
    anchor: int,
    games_per_match: int,
    opening_moves: int,
    seed: int,
    num_devices: int,
    on_match: Callable[[Match], None],
    played: Sequence[Match] = (),
) -> Standings:
    """Plays a match between each two players, each from openings of its own, and rates them.

    Args:
      game: The rules.
      players: At least two.
      anchor: The number of the player whose rating is 0.
      games_per_match: An even number.
      opening_moves: Random moves that begin each pair of games.
      seed: Of all randomness.
      num_devices: Devices over which the games are laid.
      on_match: Called after each match.
      played: Matches of such a tournament that was stopped; they are not played again.

    Raises:
      ValueError: A number is out of range; see `check_match`.
    """
    matches = list(played)
    known = {(match.first, match.second) for match in played}
    for number, (first, second) in enumerate(itertools.combinations(range(len(players)), 2)):
        if (first, second) in known:
            continue
        result = play_match(
            game,
            players[first],
            players[second],
            games_per_match,
            opening_moves,
            seed + number,
            num_devices,
        )
        matches.append(Match(first, second, result))
        on_match(matches[-1])
    ratings = rate(len(players), matches, anchor, seed)
    return Standings(ratings, _mean_scores(len(players), matches), matches)


def _mean_scores(num_players: int, matches: Sequence[Match]) -> list[float]:
    """Returns every player's mean score per game; all have played equally many."""
    totals = np.zeros(num_players)
    for first, second, result in matches:
        totals[first] += result.score
        totals[second] += 1 - result.score
    return (totals / (num_players - 1)).tolist()
