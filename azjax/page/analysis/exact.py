"""The exact value of every move, where a game is solved."""

import threading

import numpy as np

from azjax.engines.engine_process import EngineError, engine_errors
from azjax.engines.perfect import PerfectScores, perfect_command
from azjax.evaluation import find_position, is_solvable, solve
from azjax.games import Game
from azjax.games.connect_four import ConnectFour
from azjax.page.analysis.rules import Position
from azjax.support.errors import InputError, input_errors


def is_solved(game: Game) -> bool:
    """Tells whether exact values of a game are known: it is small, or BitBully is installed."""
    return is_solvable(game) or has_solver(game)


def explain_unknown(game: Game) -> str:
    """Says why the exact values of a game are not known."""
    if game == ConnectFour():
        return "The exact values of Connect Four need the solver BitBully: pip install bitbully"
    return "The exact values of this game are not known here."


def exact_values(game: Game, position: Position) -> dict[int, int]:
    """Returns by legal action 1, 0 or -1: its value for the player to move, with best play.

    There are none for a position that play from the start does not reach.
    """
    try:
        scores = exact_scores(game, position)
    except InputError:
        return {}
    return {action: int(np.sign(score)) for action, score in scores.items()}


def exact_scores(game: Game, position: Position) -> dict[int, int]:
    """Returns by legal action a score with the sign of its value, the highest for best play.

    Raises:
      InputError: Play from the start does not reach the position.
      RunError: The solver of Connect Four fails.
    """
    if not is_solvable(game):
        return _BITBULLY.ask(game, position)
    solution = solve(game)
    with input_errors():
        index = find_position(solution, game, position.state)
    values = solution.action_values[index]
    return {action: int(values[action]) for action in position.legal}


def has_solver(game: Game) -> bool:
    """Tells whether BitBully knows a game, and is installed."""
    try:
        perfect_command(game)
    except ValueError:
        return False
    return True


class _Solver:
    """BitBully, which is started when it is needed, and again after it has failed.

    Threads share it: one asks at a time, so that none closes what another one waits for.
    """

    def __init__(self):
        self._lock = threading.Lock()
        self._scores: PerfectScores | None = None

    def ask(self, game: Game, position: Position) -> dict[int, int]:
        """Returns the scores of an unfinished position of the one game that BitBully knows.

        Raises:
          RunError: BitBully cannot be started, or fails.
        """
        with self._lock, engine_errors("BitBully"):
            try:
                self._scores = self._scores or PerfectScores(game)
                return self._scores(position.state)
            except EngineError:
                if self._scores is not None:
                    self._scores.close()
                self._scores = None
                raise


_BITBULLY = _Solver()
