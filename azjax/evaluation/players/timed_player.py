"""A player that searches each position for a number of seconds."""

import contextlib
from collections.abc import Iterable

import chex
import jax
import numpy as np

from azjax.evaluation.players.host_players import MatchPlayer, Turns
from azjax.evaluation.players.player import Player, SearchAct
from azjax.games import State, batch_of_one
from azjax.search import SearchResult, TimedSearch
from azjax.support.component import structure
from azjax.support.program_cache import cache_programs


class TimedPlayer:
    """A player with search that stops by the clock instead of by its simulations.

    It is a `HostPlayer`. One position is searched at a time, on one device.

    Attributes:
      act: The search, whose number of simulations is not used.
      parameters: Its parameters.
    """

    games_at_once = 2048  # all the same: no game has anything of its own

    def __init__(self, player: Player, seconds: float):
        """Takes the search of a player.

        Args:
          player: A player with search.
          seconds: The time of each move, compilation apart.

        Raises:
          ValueError: The player does not search, or its search does not run in pieces, or the
            seconds are not above 0.
        """
        if not isinstance(player.act, SearchAct):
            raise ValueError("it does not search, so seconds mean nothing")
        self.act, self.parameters = player.act, player.parameters
        variables, search, rollout_weight = player.parameters
        self._inputs = search, variables
        options = structure(search)
        self._search = _timed_search(player.act, options, float(rollout_weight), seconds)

    @property
    def seconds(self) -> float:
        """The time of each move."""
        return self._search.seconds

    def prepare(self, state: State) -> None:
        """Compiles the search and measures its speed, given any position."""
        self._search.prepare(*self._inputs, jax.random.key(0)[None], batch_of_one(state))

    def search(self, state: State, key: chex.PRNGKey, seconds: float | None = None) -> SearchResult:
        """Returns the search of a position, a batch of 1; in less time than usual if given."""
        return self._search(*self._inputs, key[None], batch_of_one(state), seconds)

    def open_match(self) -> contextlib.AbstractContextManager[MatchPlayer]:
        """Returns the player itself."""
        return contextlib.nullcontext(self)

    def choose(self, turns: Turns) -> np.ndarray:
        """Returns [P] int32, the actions; 0 where it is not its turn."""
        actions = np.zeros(len(turns.is_turn), np.int32)
        for i in np.flatnonzero(turns.is_turn):
            state = jax.tree.map(lambda x, i=i: x[i], turns.states)
            actions[i] = self.search(state, turns.keys[i]).action[0]
        return actions

    def end(self, games: Iterable[int]) -> None:
        """Does nothing."""
        del games


@cache_programs
def _timed_search(
    act: SearchAct, options: jax.tree_util.PyTreeDef, rollout_weight: float, seconds: float
) -> TimedSearch:
    """Returns the search of players whose searches have the same structure."""
    search = options.unflatten([0.0] * options.num_leaves)
    return TimedSearch(act.make_model(rollout_weight), search, seconds)
