"""Objectives of a trial: its accuracy after equal training, or its rating."""

from collections.abc import Callable

from azjax.agents.agent import load_evaluated_agent
from azjax.agents.engine_player import EngineSettings
from azjax.agents.player_spec import load_players
from azjax.evaluation import Match, MatchSettings, play_match, rate
from azjax.runs.session import Outcome
from azjax.runs.storage.run_directory import RunDirectory

Objective = Callable[[RunDirectory, Outcome], float]  # a finished run's score; more is better

_GAMES = 200
_OPENING_MOVES = 4
_SEED = 0  # of the openings


def score_accuracy(run: RunDirectory, outcome: Outcome) -> float:
    """Returns the validation accuracy at the end of a run; more than 1 if it became perfect.

    A run that stopped because it was perfect scores 1 + (1 - t / T), where t is its training and T
    its limit. So a perfect run scores above every other, and more the sooner it was perfect.
    """
    last = outcome.rows[-1]
    accuracy = last.get("validation_accuracy")
    if accuracy is None:
        raise ValueError("accuracy is the objective, but the last row of the run has none")
    if outcome.accuracy is None or not outcome.accuracy.is_perfect:
        return accuracy
    return 2.0 - run.limits.share_done(last["iteration"], outcome.seconds)


def score_rating(opponent: str, engines: EngineSettings) -> Objective:
    """Returns the objective that is the final agent's Elo above an opponent, by a match.

    All trials play from the same openings, and with the search that evaluates them. The settings
    are of an opponent that is an engine.
    """

    def score(run: RunDirectory, outcome: Outcome) -> float:
        del outcome
        config = run.config
        simulations = config.evaluation_simulations
        [other] = load_players([opponent], config.train.game, simulations, engines)
        agent, game = load_evaluated_agent(str(run.path)), other.game
        settings = MatchSettings(
            _GAMES, min(_OPENING_MOVES, game.max_moves), _SEED, run.num_devices
        )
        result = play_match(game, agent.player(), other.player, settings)
        return rate(2, [Match(0, 1, result)], anchor=1)[0].elo

    return score
