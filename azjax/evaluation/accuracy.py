"""Accuracy: the share of positions in which a player's move keeps the best value."""

from typing import NamedTuple

import numpy as np

from azjax.evaluation.solve import is_acyclic, solve
from azjax.evaluation.solved_positions import SolvedPositions
from azjax.games import Game


class LineCounts(NamedTuple):
    """Every line of play that an opponent can choose against a player in one seat."""

    lost: int
    total: int


def accuracy_of(positions: SolvedPositions, actions: np.ndarray) -> float:
    """Returns the share of the positions in which the action keeps the best value."""
    return float(positions.is_best[np.arange(len(actions)), actions].mean())


def count_lines(game: Game, actions: np.ndarray) -> tuple[LineCounts, LineCounts] | None:
    """Plays every line that an opponent can choose, and counts those that the player loses.

    Args:
      game: A game that `solve` solves.
      actions: [P], the player's move in each position of `all_positions(game)`.

    Returns:
      The lines with the player in seat 0, and in seat 1; None where positions can come again, so
      that there is no end of lines.
    """
    solution = solve(game)
    if not is_acyclic(solution.children):
        return None
    chosen = np.zeros(len(solution.value), int)
    chosen[~solution.states.terminated] = actions
    return _count_lines(game, solution, chosen, 0), _count_lines(game, solution, chosen, 1)


def _count_lines(game, solution, chosen, seat):
    """Counts by the recursion over positions: the lines below one are those below its children."""
    terminated = solution.states.terminated
    lost = terminated & (solution.states.rewards[:, seat] < 0)
    replies = solution.children >= 0
    own_turn = solution.states.current_player == seat
    only_chosen = np.arange(game.num_actions)[None, :] == chosen[:, None]
    replies = replies & (only_chosen | ~own_turn[:, None])
    counts = np.stack([lost, terminated]).astype(np.int64)
    for _ in range(game.max_moves):
        below = np.where(replies, counts[:, solution.children], 0).sum(axis=-1)
        counts = np.where(terminated, counts, below)
    return LineCounts(lost=int(counts[0, 0]), total=int(counts[1, 0]))
