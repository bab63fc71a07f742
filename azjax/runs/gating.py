"""Gating as in AlphaGo Zero: a new network plays once it beats the best one so far.

"Mastering the game of Go without human knowledge", Silver et al., Nature 2017.
"""

import jax
import jax.numpy as jnp

from azjax.evaluation import MatchSettings, play_match, search_player
from azjax.search import SearchHyperparameters
from azjax.training import TrainConfig, TrainState, make_game_and_network

_NEEDED_SCORE = 0.55
_OPENING_MOVES = 2  # both players are deterministic: without openings all games would be equal


class Gate:
    """Replaces the champion by the EMA network if that scores above 55% against it."""

    def __init__(
        self, config: TrainConfig, hyperparameters: SearchHyperparameters, num_devices: int
    ):
        """Sets the search of both networks: that of self-play, without its noise."""
        self._config, self._hyperparameters = config, hyperparameters
        self._game, self._network = make_game_and_network(config)
        self._num_devices = num_devices

    def __call__(self, state: TrainState) -> tuple[TrainState, float]:
        """Returns the state with the champion that plays next, and the score of the challenger."""
        assert state.champion is not None, "gating is on, so there is a champion"
        challenger, champion = (
            search_player(
                self._game, self._network, variables, self._config.search, self._hyperparameters
            )
            for variables in (state.learner.ema_variables, state.champion)
        )
        settings = MatchSettings(
            self._config.gating_games, _OPENING_MOVES, int(state.iteration), self._num_devices
        )
        score = play_match(self._game, challenger, champion, settings).score
        if score > _NEEDED_SCORE:
            # A copy: an iteration donates its state, and an array cannot be donated twice.
            state = state._replace(champion=jax.tree.map(jnp.copy, state.learner.ema_variables))
        return state, score
