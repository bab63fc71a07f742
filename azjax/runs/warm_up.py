"""The initial state of a run, compiled and evaluated while the iteration compiles."""

import jax

from azjax.evaluation import Accuracy, SolvedPositions
from azjax.runs.evaluations import make_accuracy_check
from azjax.runs.storage.run_directory import RunDirectory
from azjax.training import TrainState, init_train_state


def warm_up(run: RunDirectory, positions: SolvedPositions | None) -> Accuracy | None:
    """Compiles the initial state, and the evaluation of a solved game, while Slots compiles.

    The compilation of the iteration partly runs on one core, so the other cores are free.

    Returns:
      The accuracy of the initial network, if its game is solved.
    """
    state = initial_state(run)
    is_solved = positions is not None and positions.is_complete
    accuracy_check = make_accuracy_check(run, positions) if is_solved else None
    return accuracy_check(state.acting) if accuracy_check else None


def initial_state(run: RunDirectory) -> TrainState:
    """Returns a run's state before its first iteration, from its seed."""
    init = jax.jit(init_train_state, static_argnums=0)
    return init(run.config.train, run.config.hparams, jax.random.key(run.seed))
