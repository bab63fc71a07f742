"""Gates: an evaluation may change which network plays, or which one a round is played against.

Gating is as in "Mastering the game of Go without human knowledge", Silver et al., Nature 2017.
"""

import dataclasses
from collections.abc import Callable

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
from azjax.runs.storage.run_directory import RunDirectory
from azjax.search import Search
from azjax.support.files.tables import Row
from azjax.support.machine.devices import devices_of_process
from azjax.training import (
    Gating,
    Opponent,
    PolicyGradient,
    TrainConfig,
    TrainState,
    make_game_and_network,
)

# Returns the state with the network that plays next, and the columns to log, `gate_score` first.
Gate = Callable[[TrainState], tuple[TrainState, Row]]

_NEEDED_SCORE = 0.55
_OPENING_MOVES = 2  # both players are deterministic: without openings all games would be equal
_ROUND_GAMES = 400


def make_gate(run: RunDirectory) -> Gate | None:
    """Returns the gate or the test of rounds, or None if the newest network always plays."""
    train, num_devices = run.config.train, devices_of_process(run.num_devices)
    game, network = make_game_and_network(train)
    if isinstance(train.algorithm, PolicyGradient):
        return RoundTest(game, network, train.algorithm, train.search, num_devices)
    if gating := _find_gating(train):
        return NetworkGate(SearchAgent(game, network, train.search), gating.games, num_devices)
    return None


def is_gated(config: TrainConfig) -> bool:
    """Tells whether evaluations change a run: by gating, or by the test of a round."""
    return _find_gating(config) is not None or isinstance(config.algorithm, PolicyGradient)


@dataclasses.dataclass(frozen=True)
class NetworkGate:
    """Replaces the best network by the EMA network if that scores above 55% against it."""

    agent: SearchAgent  # the network, and self-play's search; both players search without noise
    num_games: int  # even
    num_devices: int  # over which the games are sharded

    def __call__(self, state: TrainState) -> tuple[TrainState, Row]:
        """Returns the state with the network that plays next, and the `gate_score`."""
        assert state.best is not None, "gating is on, so there is one"
        networks = state.learner.ema_variables, state.best
        challenger, best = (search_player(self.agent, variables) for variables in networks)
        settings = MatchSettings(
            self.num_games, _OPENING_MOVES, int(state.iteration), self.num_devices
        )
        score = play_match(self.agent.game, challenger, best, settings).score
        if score > _NEEDED_SCORE:
            state = state._replace(best=_copy(state.learner.ema_variables))
        return state, {"gate_score": score}


@dataclasses.dataclass(frozen=True)
class RoundTest:
    """Updates the opponent by the newest policy, once that passes without search.

    Where the game can be solved, it must lose nothing to exact play. Else it must score above 55%
    against the round's opponent.
    """

    game: Game
    network: Network  # of the policy and of its opponent
    algorithm: PolicyGradient  # whose rounds they are
    search: Search  # of the opponent in the last round
    num_devices: int  # over which positions and games are sharded

    def __call__(self, state: TrainState) -> tuple[TrainState, Row]:
        """Returns the state with the opponent that plays next, `gate_score` and `rounds_passed`."""
        opponent, variables = state.opponent, state.learner.ema_variables
        assert opponent is not None, "the algorithm has rounds"
        passed = int(opponent.num_updates)
        if is_solvable(self.game):
            score = 1 - self._loss_to_exact_play(variables)  # the mean result of exact play
            is_passed = score == 1
        else:
            score = self._score(variables, opponent, int(state.iteration))
            is_passed = score > _NEEDED_SCORE
        if is_passed:
            passed += 1
            state = state._replace(opponent=Opponent(_copy(variables), jnp.int32(passed)))
        return state, {"gate_score": score, "rounds_passed": passed}

    def _loss_to_exact_play(self, variables: Variables) -> float:
        states = all_positions(self.game).states
        keys = jax.random.split(jax.random.key(0), len(states.terminated))
        policy = network_player(self.game, self.network, variables)
        actions = choose_actions(policy, states, keys, self.num_devices)
        return loss_to_exact_play(self.game, actions)

    def _score(self, variables: Variables, opponent: Opponent, seed: int) -> float:
        """Returns the score of the policy against the search of its opponent."""
        policy = network_player(self.game, self.network, variables)
        of_round = self.search, opponent.num_updates
        search = dataclasses.replace(
            self.algorithm.round_search(*of_round),
            num_simulations=int(self.algorithm.round_simulations(*of_round)),
        )
        other = search_player(SearchAgent(self.game, self.network, search), opponent.variables)
        settings = MatchSettings(_ROUND_GAMES, _OPENING_MOVES, seed, self.num_devices)
        return play_match(self.game, policy, other, settings).score


def _copy(variables: Variables) -> Variables:
    """Returns a copy: an iteration donates its state, and an array cannot be donated twice."""
    return jax.tree.map(jnp.copy, variables)


def _find_gating(config: TrainConfig) -> Gating | None:
    return next((part for part in config.parts if isinstance(part, Gating)), None)
