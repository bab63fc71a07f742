"""The initial state of a run, compiled and evaluated while the iteration compiles."""

import contextlib

import jax

from azjax.evaluation import Accuracy, SolvedPositions
from azjax.networks import Variables
from azjax.runs.evaluations import make_accuracy_check, make_gate
from azjax.runs.replay_of_games import read_replay
from azjax.runs.storage.network_history import NetworkHistory
from azjax.runs.storage.run_directory import RunDirectory
from azjax.training import TrainState, init_train_state, make_game_and_network


def warm_up(run: RunDirectory, positions: SolvedPositions | None) -> Accuracy | None:
    """Compiles the initial state, gating, and the evaluation of a solved game, as Slots compiles.

    The compilation of the iteration partly runs on one core, so the other cores are free. The time
    of gating counts, and so it must not compile when it is due.

    Returns:
      The accuracy of the initial network, if its game is solved.
    """
    state = _sampled_state(run)
    if gate := make_gate(run):
        gate(state)
    is_solved = positions is not None and positions.is_complete
    accuracy_check = make_accuracy_check(run, positions) if is_solved else None
    return accuracy_check(state.acting) if accuracy_check else None


def initial_state(run: RunDirectory) -> TrainState:
    """Returns a run's state before its first iteration.

    It is sampled from the run's seed, apart from the network of a run that begins from an agent,
    and from recorded games.

    Raises:
      InputError: That network is damaged, or the file of games is wrong.
    """
    state = _sampled_state(run)
    if run.config.games is not None:
        state = state._replace(replay=read_replay(run.config.train, run.config.games))
    return state


def _sampled_state(run: RunDirectory) -> TrainState:
    """Returns the state without recorded games, whose file a run that goes on does not need."""
    init = jax.jit(init_train_state, static_argnums=0)
    state = init(run.config.train, run.config.hparams, jax.random.key(run.seed))
    return state.with_network(_initial_network(run)) if run.init_from else state


def _initial_network(run: RunDirectory) -> Variables:
    """Reads the network before the first iteration from the history."""
    _, network = make_game_and_network(run.config.train)
    with contextlib.closing(NetworkHistory(run.history)) as history:
        return history.restore(network, 0)
