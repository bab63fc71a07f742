"""The rules of the games, as pure functions of one unbatched state."""

from azjax.games.game import Game, State
from azjax.games.registry import make, names, register
from azjax.games.symmetry import Symmetries

__all__ = ["Game", "State", "Symmetries", "make", "names", "register"]
