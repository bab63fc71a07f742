"""Gating as in AlphaGo Zero: a new network plays once it beats the best one so far.

"Mastering the game of Go without human knowledge", Silver et al., Nature 2017. The session of a run
plays the match, at its evaluations.
"""

import dataclasses

from azjax.networks import Variables
from azjax.support.validation import check_even, check_size
from azjax.training.hooks import Part
from azjax.training.state import Learner


@dataclasses.dataclass(frozen=True)
class Gating(Part):
    """The best network plays in self-play until another one scores above 55% against it."""

    name = "gating"

    games: int = 100
    """Games of a match between a new network and the best one."""

    def check(self) -> None:
        check_even("games", self.games, 2)
        check_size("games", self.games, 2, 2**24)

    def init_best(self, learner: Learner) -> Variables:
        """Returns the network that the run begins from."""
        return learner.ema_variables
