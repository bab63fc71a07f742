"""The state that a session starts from: that of a checkpoint, or a new one from the run's seed."""

import contextlib
from collections.abc import Sequence

import jax

from azjax.networks import Variables
from azjax.runs.replay_of_games import read_replay
from azjax.runs.reporting.progress import TrainingProgress
from azjax.runs.resuming import were_checkpoints_deleted
from azjax.runs.storage.checkpoints import Checkpoints
from azjax.runs.storage.metrics_log import last_without_gap, read_metrics
from azjax.runs.storage.network_history import NetworkHistory
from azjax.runs.storage.restore import train_state_shapes
from azjax.runs.storage.run_description import precision_name, read_description
from azjax.runs.storage.run_directory import RunDirectory
from azjax.support.errors import InputError
from azjax.training import TrainState, init_train_state, make_game_and_network


def starting_state(
    run: RunDirectory, checkpoints: Checkpoints, progress: TrainingProgress
) -> TrainState:
    """Returns the state of the newest checkpoint, or else a new one from the seed.

    Args:
      run: The run.
      checkpoints: Its checkpoints.
      progress: Prints which state it is, and which checkpoints are damaged.

    Raises:
      InputError: There are checkpoints, and the run cannot go on from any; or the network or the
        games that a new run begins from cannot be read.
    """
    if iterations := checkpoints.iterations_with_damaged():
        last = _last_to_resume_from(run, iterations, progress)
        restored = checkpoints.restore(train_state_shapes(run), last=last)
        for warning in restored.warnings:
            progress.warn(warning)
        progress.log(run, f"resuming from iteration {restored.iteration}")
        now = precision_name(run.config)
        before = read_description(run.path).get("precision", now)
        if before != now:
            progress.log(run, f"started in {before} and continued in {now}: not bit-identical")
        return restored.state
    if run.metrics.exists():
        progress.log(run, f"no checkpoint yet: starting again from seed {run.seed}")
    if run.init_from:
        progress.log(run, f"beginning from {run.init_from}")
    return initial_state(run)


def check_has_checkpoints(run: RunDirectory, kept: Sequence[int]) -> None:
    """Raises InputError if the checkpoints of a run were deleted: it would lose all it has.

    Args:
      run: The run.
      kept: The iterations of the networks in its history, in order.
    """
    if were_checkpoints_deleted(run):
        last = f"{run.path}@{kept[-1]}" if kept else ""
        hint = f"; --init-from {last} begins a new run from its last network" if last else ""
        raise InputError(f"{run.checkpoints} is gone or empty: the run cannot be continued{hint}")


def initial_state(run: RunDirectory) -> TrainState:
    """Returns a run's state before its first iteration.

    It is sampled from the run's seed, apart from the network of a run that begins from an agent,
    and from recorded games.

    Raises:
      InputError: That network is damaged, or the file of games is wrong.
    """
    state = sampled_state(run)
    if run.init_from:
        state = state.with_network(_initial_network(run))
    if run.config.games is not None:
        state = state._replace(replay=read_replay(run.config.train, run.config.games))
    return state


def sampled_state(run: RunDirectory) -> TrainState:
    """Returns a state of a run's sizes that is sampled from its seed alone; it reads no file."""
    return jax.jit(init_train_state)(run.config.train, jax.random.key(run.seed))


def _last_to_resume_from(
    run: RunDirectory, iterations: Sequence[int], progress: TrainingProgress
) -> int:
    """Returns the last iteration to go on from: no row up to it may be missing in the metrics.

    Raises:
      InputError: Rows up to the oldest checkpoint are missing.
    """
    last = last_without_gap(read_metrics(run.metrics))
    if last >= iterations[-1]:
        return iterations[-1]
    lost = f"{run.metrics} lacks the row of iteration {last + 1}"
    if last < iterations[0]:
        raise InputError(
            f"{lost}, and there is no checkpoint before it: the run can be played, but not "
            "continued"
        )
    progress.warn(f"{lost}: going back to the newest checkpoint before it")
    return last


def _initial_network(run: RunDirectory) -> Variables:
    """Reads the network before the first iteration from the history."""
    _, network = make_game_and_network(run.config.train)
    with contextlib.closing(NetworkHistory(run.history)) as history:
        return history.restore(network, 0)
