"""The gate: an evaluation may change which network plays, or which one is played against."""

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
from azjax.runs.storage.run_directory import RunDirectory
from azjax.support.files.tables import Row
from azjax.support.machine.devices import devices_of_process
from azjax.training import TrainState, make_context
from azjax.training.hooks import GatingMatch, Hooks, TrainContext

_NEEDED_SCORE = 0.55
_OPENING_MOVES = 2  # both players are deterministic: without openings all games would be equal


@dataclasses.dataclass(frozen=True)
class Gate:
    """Promotes the EMA network if it scores above 55% in a component's match.

    Where exact play is its opponent, it must lose nothing.
    """

    context: TrainContext
    component: Hooks
    num_devices: int  # over which positions and games are sharded

    def __call__(self, state: TrainState) -> tuple[TrainState, Row]:
        """Returns the state with the network that plays next, and the columns to log."""
        match, variables = self.component.match(self.context, state), state.learner.ema_variables
        if match.prefers_exact_play and is_solvable(self.context.game):
            score = 1 - self._loss_to_exact_play(variables)  # the mean result of exact play
            is_won = score == 1
        else:
            score = self._play(match, variables, int(state.iteration))
            is_won = score > _NEEDED_SCORE
        if is_won:
            # A copy: an iteration donates its state, and an array cannot be donated twice.
            state = self.component.promote(state, jax.tree.map(jnp.copy, variables))
        row: Row = {"gate_score": score}
        if state.opponent is not None:
            row["rounds_passed"] = int(state.opponent.num_updates)
        return state, row

    def _loss_to_exact_play(self, variables: Variables) -> float:
        game, network = self.context.game, self.context.network
        states = all_positions(game).states
        keys = jax.random.split(jax.random.key(0), len(states.terminated))
        policy = network_player(game, network, variables)
        return loss_to_exact_play(game, choose_actions(policy, states, keys, self.num_devices))

    def _play(self, match: GatingMatch, variables: Variables, seed: int) -> float:
        game, network = self.context.game, self.context.network
        if match.search is None:
            player = network_player(game, network, variables)
        else:
            player = search_player(SearchAgent(game, network, match.search), variables)
        other = search_player(SearchAgent(game, network, match.opponent_search), match.opponent)
        settings = MatchSettings(match.num_games, _OPENING_MOVES, seed, self.num_devices)
        return play_match(game, player, other, settings).score


def make_gate(run: RunDirectory) -> Gate | None:
    """Returns the gate of a run, or None if the newest network always plays."""
    train, num_devices = run.config.train, devices_of_process(run.num_devices)
    return next((Gate(make_context(train), gate, num_devices) for gate in train.gates), None)
