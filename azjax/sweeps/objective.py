"""Objectives of a trial: its accuracy after equal time, or its rating."""

import dataclasses
from collections.abc import Callable

from azjax.agents.player_spec import load_players
from azjax.evaluation import Match, MatchSettings, SolvedPositions, play_match, rate
from azjax.runs.session import Outcome
from azjax.runs.storage.run_directory import RunDirectory
from azjax.support.tables import Row

Objective = Callable[[RunDirectory, Outcome], float]  # a finished run's score; more is better

_GAMES = 200
_OPENING_MOVES = 4


@dataclasses.dataclass(frozen=True)
class Scoring:
    """How the trials of a sweep are scored."""

    objective: Objective
    positions: SolvedPositions | None  # on which accuracy is measured


def mean_accuracy(row: Row) -> float | None:
    """Returns the mean of an evaluation's two accuracies, or None for a row without them."""
    if "accuracy_search" not in row:
        return None
    return (row["accuracy_network"] + row["accuracy_search"]) / 2


def score_accuracy(run: RunDirectory, outcome: Outcome) -> float:
    """Returns the mean accuracy at the end of a run; more than 1 for a run that became perfect.

    A run that stopped because it was perfect scores 1 + (1 - t / T), where t is its training time
    and T its limit. So a perfect run scores above every other, and more the sooner it was perfect.
    """
    last = outcome.rows[-1]
    accuracy = mean_accuracy(last)
    if accuracy is None:
        raise ValueError("accuracy is the objective, but the last row of the run has none")
    if outcome.accuracy is None or not outcome.accuracy.is_perfect:
        return accuracy
    return 2.0 - run.limits.share_done(last["iteration"], outcome.seconds)


def score_rating(opponent: str) -> Objective:
    """Returns the objective that is the final agent's Elo above an opponent, by a match."""

    def score(run: RunDirectory, outcome: Outcome) -> float:
        del outcome
        names = [str(run.path), opponent]
        first, second = load_players(names, None, run.config.evaluation_simulations)
        game = first.game
        settings = MatchSettings(
            _GAMES, min(_OPENING_MOVES, game.max_moves), run.seed, run.num_devices
        )
        result = play_match(game, first.player, second.player, settings)
        return rate(2, [Match(0, 1, result)], anchor=1)[0].elo

    return score
