"""Gating as in AlphaGo Zero: a new network plays once it beats the best one so far.

"Mastering the game of Go without human knowledge", Silver et al., Nature 2017. The session of a run
plays the match, at its evaluations.
"""

import dataclasses
from typing import ClassVar

from azjax.support.validation import check_even, check_size
from azjax.training.hooks import Part


@dataclasses.dataclass(frozen=True)
class Gating(Part):
    """The best network plays in self-play until another one scores above 55% against it."""

    name = "gating"
    keeps_best: ClassVar[bool] = True

    games: int = 100
    """Games of a match between a new network and the best one."""

    def check(self) -> None:
        """Raises ValueError unless the number of games is even."""
        check_even("games", self.games, 2)
        check_size("games", self.games, 2, 2**24)
