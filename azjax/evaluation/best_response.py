"""Exploitability: the value of the exact best response to a player."""

import numpy as np

from azjax.evaluation.solution import iterate_values, solve
from azjax.games import Game


def exploitability(game: Game, actions: np.ndarray) -> float:
    """Returns the mean result of the best response over both seats: 0 for a perfect player.

    This is half of NashConv. It is 1 for a player that the best response beats in both seats. Play
    that never ends is a draw.

    Args:
      game: A game that `solve` solves.
      actions: [P], the player's move in each position of `all_positions(game)`.
    """
    return (_best_response(game, actions, seat=0) + _best_response(game, actions, seat=1)) / 2


def _best_response(game: Game, actions: np.ndarray, seat: int) -> int:
    """Returns the responder's result of the best response to a player in that seat."""
    solution = solve(game)
    states = solution.states
    chosen = np.zeros(len(solution.value), int)
    chosen[~states.terminated] = actions
    is_chosen = np.arange(game.num_actions)[None, :] == chosen[:, None]
    own_turn = (states.current_player == seat)[:, None]
    children = np.where(is_chosen | ~own_turn, solution.children, -1)
    value_of_first = int(iterate_values(states, children)[0])
    return -value_of_first if seat == 0 else value_of_first
