"""What a trial is worth: its accuracy against truth after equal time, or its rating."""

from collections.abc import Callable

from azjax.agents.player_spec import load_players
from azjax.evaluation import Match, play_match, rate
from azjax.runs.run_directory import RunDirectory
from azjax.runs.session import Outcome
from azjax.support.tables import Row

Objective = Callable[[RunDirectory, Outcome], float]

_GAMES = 200
_OPENING_MOVES = 4


def mean_accuracy(row: Row) -> float | None:
    """Returns the mean of a look's accuracies, of the network alone and of the search."""
    if "accuracy_search" not in row:
        return None
    return (row["accuracy_network"] + row["accuracy_search"]) / 2


def score_accuracy(run: RunDirectory, outcome: Outcome) -> float:
    """Returns the mean accuracy at the end of a run, and more where it was perfect before.

    A run that stopped since no error was left has the score 1 + (1 - t / T): t are its seconds of
    training, T those that it had. So the sooner perfect, the better, and anything perfect is above
    all that is not.
    """
    last = outcome.rows[-1]
    accuracy = mean_accuracy(last)
    if accuracy is None:
        raise ValueError("the last row of a run tells its accuracy, where truth is known")
    if outcome.accuracy is None or not outcome.accuracy.is_perfect:
        return accuracy
    return 2.0 - run.limits.share_done(last["iteration"], outcome.seconds)


def score_rating(opponent: str) -> Objective:
    """Returns the objective that is Elo above an opponent, by a match of the final agent."""

    def score(run: RunDirectory, outcome: Outcome) -> float:
        del outcome
        names = [str(run.path), opponent]
        players = load_players(names, None, run.config.evaluation_simulations)
        game = players[0].game
        result = play_match(
            game,
            *(player.player for player in players),
            _GAMES,
            min(_OPENING_MOVES, game.max_moves),
            run.seed,
            run.num_devices,
        )
        return rate(2, [Match(0, 1, result)], anchor=1)[0].elo

    return score
