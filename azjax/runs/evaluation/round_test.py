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
from azjax.games import Game
from azjax.networks import Network, Variables
from azjax.search import Search
from azjax.support.files.tables import Row
from azjax.training import Opponent, PolicyGradient, TrainState

_NEEDED_SCORE = 0.55
_SETTINGS = MatchSettings(num_games=400, opening_moves=2)


class RoundTest:
    """Updates the opponent by the newest policy, once that passes without search.

    Where the game can be solved, it must lose nothing to exact play. Else it must score above 55%
    against the round's opponent.
    """

    def __init__(
        self,
        game: Game,
        network: Network,
        algorithm: PolicyGradient,
        search: Search,
        num_devices: int,
    ):
        """Sets the test.

        Args:
          game: The game.
          network: The network of the policy and of its opponent.
          algorithm: The rounds.
          search: The search of the opponent in the last one.
          num_devices: Positions and games are sharded over so many devices.
        """
        self._game, self._network, self._num_devices = game, network, num_devices
        self._algorithm, self._search = algorithm, search

    def __call__(self, state: TrainState) -> tuple[TrainState, Row]:
        """Returns the state with the opponent that plays next, `gate_score` and `rounds_passed`.

        Against exact play the score is 1 less the mean result of that.
        """
        opponent, variables = state.opponent, state.learner.ema_variables
        assert opponent is not None, "the algorithm has rounds"
        passed = int(opponent.num_updates)
        if is_solvable(self._game):
            score = 1 - self._loss_to_exact_play(variables)
            is_passed = score == 1
        else:
            score = self._score(variables, opponent, int(state.iteration))
            is_passed = score > _NEEDED_SCORE
        if is_passed:
            # A copy: an iteration donates its state, and an array cannot be donated twice.
            copied = jax.tree.map(jnp.copy, variables)
            passed += 1
            state = state._replace(opponent=Opponent(copied, jnp.int32(passed)))
        return state, {"gate_score": score, "rounds_passed": passed}

    def _loss_to_exact_play(self, variables: Variables) -> float:
        states = all_positions(self._game).states
        keys = jax.random.split(jax.random.key(0), len(states.terminated))
        policy = network_player(self._game, self._network, variables)
        actions = choose_actions(policy, states, keys, self._num_devices)
        return loss_to_exact_play(self._game, actions)

    def _score(self, variables: Variables, opponent: Opponent, seed: int) -> float:
        """Returns the score of the policy against the search of its opponent."""
        policy = network_player(self._game, self._network, variables)
        of_round = self._search, opponent.num_updates
        search = dataclasses.replace(
            self._algorithm.round_search(*of_round),
            num_simulations=int(self._algorithm.round_simulations(*of_round)),
        )
        agent = SearchAgent(self._game, self._network, search)
        settings = dataclasses.replace(_SETTINGS, seed=seed, num_devices=self._num_devices)
        other = search_player(agent, opponent.variables)
        return play_match(self._game, policy, other, settings).score
