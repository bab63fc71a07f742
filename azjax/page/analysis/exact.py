"""The exact value of every move, where a game is solved."""

import functools

import numpy as np

from azjax.engines.perfect import PerfectScores, perfect_command
from azjax.engines.process import EngineError
from azjax.evaluation import find_position, is_solvable, solve
from azjax.games import Game
from azjax.page.analysis.rules import Position
from azjax.support.errors import InputError, input_errors


def is_solved(game: Game) -> bool:
    """Tells whether exact values of a game are known: it is small, or BitBully is installed."""
    return is_solvable(game) or has_solver(game)


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
      EngineError: The solver of Connect Four fails.
    """
    if not is_solvable(game):
        return _ask_solver(game, position)
    solution = solve(game)
    with input_errors():
        index = find_position(solution, game, position.state)
    values = solution.action_values[index]
    return {action: int(values[action]) for action in position.legal}


def mistakes(values: dict[int, int], action: int) -> int:
    """Returns what an action gives away: 0, 1 for half a point, or 2 for a whole one."""
    return max(values.values()) - values[action]


def has_solver(game: Game) -> bool:
    """Tells whether BitBully knows a game, and is installed."""
    try:
        perfect_command(game)
    except ValueError:
        return False
    return True


def _ask_solver(game: Game, position: Position) -> dict[int, int]:
    try:
        return _solver(game)(position.state)
    except EngineError:  # another one is started the next time
        _solver(game).close()
        _solver.cache_clear()
        raise


@functools.cache
def _solver(game: Game) -> PerfectScores:
    return PerfectScores(game)
