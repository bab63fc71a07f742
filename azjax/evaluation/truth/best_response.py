"""The best responses to a player: of any opponent, and of one that plays exactly."""

from typing import Any

import numpy as np

from azjax.evaluation.truth.solution import iterate_values, keeps_value, mark_chosen, solve
from azjax.games import Game


def exploitability(game: Game, actions: np.ndarray) -> float:
    """Returns the mean result of the best response over both seats: 0 for a perfect player.

    This is half of NashConv. It is 1 for a player that the best response beats in both seats. Play
    that never ends is a draw.

    Of several samples of the moves all count: in each position the worst for the player.

    Args:
      game: A game that `solve` solves.
      actions: [P] or [S, P], samples of the player's move in each position of `all_positions`.
    """
    return _mean_best_response(game, actions, solve(game).children)


def loss_to_exact_play(game: Game, actions: np.ndarray) -> float:
    """Returns the mean result of exact play against a player, over both seats.

    Among moves of equal value exact play chooses those that are the worst for the player; it makes
    no move that is not one of the best, so the player's errors elsewhere do not count. Arguments
    and scale are as for `exploitability`.
    """
    solution = solve(game)
    replies = np.where(keeps_value(solution.action_values), solution.children, -1)
    return _mean_best_response(game, actions, replies)


def _mean_best_response(game: Game, actions: np.ndarray, replies: np.ndarray) -> float:
    """Returns the mean over both seats of the best response, whose moves lead to [N, A] replies."""
    return sum(_best_response(game, actions, replies, seat) for seat in (0, 1)) / 2


def _best_response(game: Game, actions: np.ndarray, replies: np.ndarray, seat: int) -> int:
    """Returns the responder's result of the best response to a player in that seat."""
    solution = solve(game)
    own_turn = (solution.states.current_player == seat)[:, None]
    own_moves = np.where(mark_chosen(game, actions), solution.children, -1)
    children = np.where(own_turn, own_moves, replies)
    # The responder chooses in all positions: where the player's move is one, there is no choice.
    states: Any = solution.states
    states = states._replace(current_player=np.full_like(states.current_player, 1 - seat))
    value, _ = iterate_values(states, children)
    return int(value[0])
