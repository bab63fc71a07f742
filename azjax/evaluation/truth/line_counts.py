"""Line counts: how many lines of play a player loses against every choice of the opponent."""

from typing import NamedTuple

import numpy as np

from azjax.evaluation.truth.solution import Solution, is_acyclic, mark_chosen, solve
from azjax.games import Game

_MOST_LINES = 2**53  # a float counts them exactly


class LineCounts(NamedTuple):
    """The lines of play that an opponent can choose against a player in one seat."""

    lost: int
    total: int


def count_lines(game: Game, actions: np.ndarray) -> tuple[LineCounts, LineCounts] | None:
    """Counts the lines that an opponent can choose against a player, and those the player loses.

    Args:
      game: A game that `solve` solves.
      actions: [P] or [S, P], samples of the player's move in each position of `all_positions`; all
        of them count.

    Returns:
      The counts with the player in seat 0, and in seat 1; None if positions can recur, because the
      lines are then infinitely many, or if there are more than 2**53.
    """
    solution = solve(game)
    if not is_acyclic(solution.children):
        return None
    is_chosen = mark_chosen(game, actions)
    first, second = (_count_lines(game, solution, is_chosen, seat) for seat in (0, 1))
    return None if max(first.total, second.total) > _MOST_LINES else (first, second)


def _count_lines(game: Game, solution: Solution, is_chosen: np.ndarray, seat: int) -> LineCounts:
    """Counts recursively: the lines from a position are the sum of those from its children."""
    terminated = solution.states.terminated
    lost = terminated & (solution.states.rewards[:, seat] < 0)
    own_turn = solution.states.current_player == seat
    is_played = (solution.children >= 0) & (is_chosen | ~own_turn[:, None])
    counts = np.stack([lost, terminated]).astype(np.float64)
    for _ in range(game.max_moves):
        sums = np.where(is_played, counts[:, solution.children], 0).sum(axis=-1)
        counts = np.where(terminated, counts, sums)
    return LineCounts(lost=int(counts[0, 0]), total=int(counts[1, 0]))
