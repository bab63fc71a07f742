"""The gate of AlphaGo Zero: a new network plays once it beats the best one so far.

"Mastering the game of Go without human knowledge", Silver et al., Nature 2017.
"""

import jax
import jax.numpy as jnp

from azjax.evaluation import play_match, search_player
from azjax.search import SearchHyperparameters
from azjax.training import TrainConfig, TrainState, make_game_and_network

_NEEDED_SCORE = 0.55
_OPENING_MOVES = 2  # neither plays by lot: without openings there would be one game, many times


class Gate:
    """Lets the learner's average take the champion's place where it scores above 55% against it."""

    def __init__(
        self, config: TrainConfig, hyperparameters: SearchHyperparameters, num_devices: int
    ):
        """Takes the search of self-play, which both play with, without its noise."""
        self._config, self._hyperparameters = config, hyperparameters
        self._game, self._network = make_game_and_network(config)
        self._num_devices = num_devices

    def __call__(self, state: TrainState) -> tuple[TrainState, float]:
        """Returns the state with its champion, and the score of the challenger."""
        challenger, champion = (
            search_player(
                self._game, self._network, variables, self._config.search, self._hyperparameters
            )
            for variables in (state.learner.ema_variables, state.champion)
        )
        score = play_match(
            self._game,
            challenger,
            champion,
            self._config.gating_games,
            _OPENING_MOVES,
            seed=int(state.iteration),
            num_devices=self._num_devices,
        ).score
        if score > _NEEDED_SCORE:
            # A copy: an iteration eats its state, and can eat no array twice.
            state = state._replace(champion=jax.tree.map(jnp.copy, state.learner.ema_variables))
        return state, score
