"""The exact value of every move, where a game is solved."""

import functools

import numpy as np

from azjax.engines.perfect import PerfectScores, perfect_command
from azjax.evaluation import find_position, is_solvable, solve
from azjax.games import Game
from azjax.page.analysis.rules import Position


def is_solved(game: Game) -> bool:
    """Tells whether exact values of a game are known: it is small, or BitBully is installed."""
    return is_solvable(game) or has_solver(game)


def exact_values(game: Game, position: Position) -> dict[int, int]:
    """Returns by legal action 1, 0 or -1: its value for the player to move, with best play.

    Raises:
      ValueError: The position is none that play from the start reaches.
    """
    return {action: int(np.sign(score)) for action, score in exact_scores(game, position).items()}


def exact_scores(game: Game, position: Position) -> dict[int, int]:
    """Returns by legal action a score with the sign of its value, the highest for best play."""
    if not is_solvable(game):
        return _solver(game)(position.state)
    solution = solve(game)
    values = solution.action_values[find_position(solution, game, position.state)]
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


@functools.cache
def _solver(game: Game) -> PerfectScores:
    return PerfectScores(game)
