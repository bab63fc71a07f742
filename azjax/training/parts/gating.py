"""Gating as in AlphaGo Zero: a new network plays once it beats the best one so far.

"Mastering the game of Go without human knowledge", Silver et al., Nature 2017.
"""

import dataclasses

from azjax.networks import Variables
from azjax.support.validation import check_even, check_size
from azjax.training.hooks import GatingMatch, Part, TrainContext
from azjax.training.state import Learner, TrainState


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

    def match(self, context: TrainContext, state: TrainState) -> GatingMatch:
        """Returns the match against the best network, both with the search of self-play."""
        assert state.best is not None, "init_best has filled it"
        search = context.config.search
        return GatingMatch(search, state.best, search, self.games)

    def promote(self, state: TrainState, variables: Variables) -> TrainState:
        """Returns the state in which these variables are the best ones."""
        return state._replace(best=variables)
