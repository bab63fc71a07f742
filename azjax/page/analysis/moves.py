"""The moves of players that do not search: random, tactical, minimax, truth and perfect."""

import jax
import numpy as np

from azjax.evaluation import Player, choose_actions
from azjax.games import batch_of_one
from azjax.page.analysis.exact import exact_scores
from azjax.page.analysis.players import PagePlayer
from azjax.page.analysis.rules import Position

# Their tables have no row for a position that is entered and that play does not reach.
_EXACT = ("truth", "minimax", "perfect")


def choose_move(player: PagePlayer, position: Position, seed: int) -> int:
    """Returns the action that a player without search plays.

    Args:
      player: The player.
      position: An unfinished position.
      seed: The seed of its choice.
    """
    if isinstance(player.player, Player) and player.name not in _EXACT:
        states, keys = batch_of_one(position.state), jax.random.key(seed)[None]
        return int(choose_actions(player.player, states, keys)[0])
    scores = exact_scores(player.game, position)
    best = [action for action, score in scores.items() if score == max(scores.values())]
    return int(np.random.default_rng(seed).choice(best))
