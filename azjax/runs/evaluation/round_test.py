"""The test that ends a round of an algorithm with rounds, and updates its opponent."""

import dataclasses

import jax
import jax.numpy as jnp

from azjax.evaluation import (
    MatchSettings,
    SearchAgent,
    all_positions,
    choose_actions,
    is_solvable,
    loss_to_exact_play,
    network_player,
    play_match,
    search_player,
)
from azjax.networks import Variables
from azjax.support.files.tables import Row
from azjax.training import (
    Opponent,
    TrainConfig,
    TrainState,
    round_search,
    round_simulations,
)

_NEEDED_SCORE = 0.55
_SETTINGS = MatchSettings(num_games=400, opening_moves=2)


class RoundTest:
    """Updates the opponent by the newest policy, once that passes without search.

    Where the game can be solved, it must lose nothing to exact play. Else it must score above 55%
    against the round's opponent.
    """

    def __init__(
        self,
        agent: SearchAgent,
        config: TrainConfig,
        num_devices: int,
    ):
        """Sets the test.

        Args:
          agent: The network, and the search of the opponent in the last round.
          config: The rounds.
          num_devices: Positions and games are sharded over so many devices.
        """
        self._agent, self._num_devices = agent, num_devices
        self._config = config

    def __call__(self, state: TrainState) -> tuple[TrainState, Row]:
        """Returns the state with the opponent that plays next, `gate_score` and `rounds_passed`.

        Against exact play the score is 1 less the mean result of that.
        """
        opponent, variables = state.opponent, state.learner.ema_variables
        assert opponent is not None, "the algorithm has rounds"
        passed = int(opponent.num_updates)
        if is_solvable(self._agent.game):
            score = 1 - self._loss_to_exact_play(variables)
            is_passed = score == 1
        else:
            score = self._score(state)
            is_passed = score > _NEEDED_SCORE
        if is_passed:
            # A copy: an iteration donates its state, and an array cannot be donated twice.
            renewed = jax.tree.map(jnp.copy, variables)
            passed += 1
            state = state._replace(opponent=Opponent(renewed, jnp.int32(passed)))
        return state, {"gate_score": score, "rounds_passed": passed}

    def _loss_to_exact_play(self, variables: Variables) -> float:
        game = self._agent.game
        states = all_positions(game).states
        keys = jax.random.split(jax.random.key(0), len(states.terminated))
        policy = network_player(game, self._agent.network, variables)
        return loss_to_exact_play(game, choose_actions(policy, states, keys, self._num_devices))

    def _score(self, state: TrainState) -> float:
        agent, opponent = self._agent, state.opponent
        assert opponent is not None, "the algorithm has rounds"
        search = round_search(self._config, opponent.num_updates)
        simulations = int(round_simulations(self._config, opponent.num_updates))
        search = dataclasses.replace(search, num_simulations=simulations)
        agent = dataclasses.replace(agent, search=search)
        policy = network_player(agent.game, agent.network, state.learner.ema_variables)
        settings = dataclasses.replace(
            _SETTINGS, seed=int(state.iteration), num_devices=self._num_devices
        )
        return play_match(
            agent.game, policy, search_player(agent, opponent.variables), settings
        ).score
