"""Board games, as pure functions of one unbatched state."""

from azjax.games.game import Game, State
from azjax.games.hashing import hash_state
from azjax.games.pgx_adapter import pgx_names
from azjax.games.random_play import play_random_moves, sample_from_mask
from azjax.games.registry import make, names, register
from azjax.games.symmetry import Symmetries

__all__ = [
    "Game",
    "State",
    "Symmetries",
    "hash_state",
    "make",
    "names",
    "pgx_names",
    "play_random_moves",
    "register",
    "sample_from_mask",
]
