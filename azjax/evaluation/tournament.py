"""Round-robin tournaments and the ratings of their players."""

import dataclasses
import itertools
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from azjax.evaluation.matches import MatchSettings, OnGame, play_match
from azjax.evaluation.players.host_players import HostPlayer
from azjax.evaluation.players.player import Player
from azjax.evaluation.ratings import Match, Rating, rate
from azjax.games import Game


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
      settings: Of every match; if openings differ, each match has the next seed, also after
        matches that were played.
      on_match: Called after each match.
      played: Matches of the same tournament from an earlier session; they are not played again.
      same_openings: Whether all matches start from the same openings, which compares the players on
        equal terms. Else every match has openings of its own, so that the errors of the ratings
        are nearly independent.
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
    return Standings(ratings, _mean_scores(len(players), matches), matches)


def _mean_scores(num_players: int, matches: Sequence[Match]) -> list[float]:
    """Returns every player's mean over its opponents of its score per game."""
    totals = np.zeros(num_players)
    for first, second, result in matches:
        totals[first] += result.score
        totals[second] += 1 - result.score
    return (totals / (num_players - 1)).tolist()
