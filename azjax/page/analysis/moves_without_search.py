"""The moves of players that do not search: random, tactical, minimax, truth and perfect."""

import jax
import numpy as np

from azjax.evaluation import Player, choose_actions, find_position, solve
from azjax.games import batch_of_one
from azjax.page.analysis.exact import exact_scores
from azjax.page.analysis.players import PagePlayer
from azjax.page.analysis.rules import Position
from azjax.support.errors import input_errors

# Their tables have no row for a position that is entered and that play does not reach.
_WITH_TABLE = ("truth", "minimax")


def choose_move(player: PagePlayer, position: Position, seed: int) -> int:
    """Returns the action that a player without search plays.

    Args:
      player: The player.
      position: An unfinished position.
      seed: The seed of its choice.

    Raises:
      InputError: The player knows the positions alone that play from the start reaches.
      RunError: The solver of Connect Four fails.
    """
    if player.name in _WITH_TABLE:
        solution = solve(player.game)
        with input_errors():
            find_position(solution, player.game, position.state)
    if isinstance(player.player, Player):
        states, keys = batch_of_one(position.state), jax.random.key(seed)[None]
        return int(choose_actions(player.player, states, keys)[0])
    scores = exact_scores(player.game, position)
    best = [action for action, score in scores.items() if score == max(scores.values())]
    return int(np.random.default_rng(seed).choice(best))
