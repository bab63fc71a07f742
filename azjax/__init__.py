"""azjax: AlphaZero-style learning in JAX."""

from azjax.games import Game, make, names

__all__ = ["Game", "make", "names"]
