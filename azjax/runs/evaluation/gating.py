"""Gating as in AlphaGo Zero: a new network plays once it beats the best one so far.

"Mastering the game of Go without human knowledge", Silver et al., Nature 2017.
"""

import jax
import jax.numpy as jnp

from azjax.evaluation import MatchSettings, SearchAgent, play_match, search_player
from azjax.support.files.tables import Row
from azjax.training import TrainState

_NEEDED_SCORE = 0.55
_OPENING_MOVES = 2  # both players are deterministic: without openings all games would be equal


class Gate:
    """Replaces the best network by the EMA network if that scores above 55% against it."""

    def __init__(self, agent: SearchAgent, num_games: int, num_devices: int):
        """Sets the match.

        Args:
          agent: The network and the search of self-play; both players search without noise.
          num_games: The number of games, even.
          num_devices: The games are sharded over so many devices.
        """
        self._agent, self._num_games, self._num_devices = agent, num_games, num_devices

    def __call__(self, state: TrainState) -> tuple[TrainState, Row]:
        """Returns the state with the network that plays next, and the `gate_score`."""
        assert state.best is not None, "gating is on, so there is one"
        challenger, best = (
            search_player(self._agent, variables)
            for variables in (state.learner.ema_variables, state.best)
        )
        settings = MatchSettings(
            self._num_games, _OPENING_MOVES, int(state.iteration), self._num_devices
        )
        score = play_match(self._agent.game, challenger, best, settings).score
        if score > _NEEDED_SCORE:
            # A copy: an iteration donates its state, and an array cannot be donated twice.
            state = state._replace(best=jax.tree.map(jnp.copy, state.learner.ema_variables))
        return state, {"gate_score": score}
