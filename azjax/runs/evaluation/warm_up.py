"""Compiles what a run needs besides the iteration, while the iteration compiles."""

from azjax.evaluation import Accuracy, SolvedPositions
from azjax.runs.evaluation.evaluations import make_accuracy_check, make_gate
from azjax.runs.starting_state import sampled_state
from azjax.runs.storage.run_directory import RunDirectory


def warm_up(run: RunDirectory, positions: SolvedPositions | None) -> Accuracy | None:
    """Compiles the initial state, gating, and the evaluation of a solved game, as Slots compiles.

    The compilation of the iteration partly runs on one core, so the other cores are free. The time
    of gating counts, and so it must not compile when it is due. No file of the run is read: one
    that is damaged stops its own session, and not those of a whole population.

    Returns:
      The accuracy of the initial network, if its game is solved and the network is of the seed.
    """
    state = sampled_state(run)
    if gate := make_gate(run):
        gate(state)
    is_solved = positions is not None and positions.is_complete
    accuracy_check = make_accuracy_check(run, positions) if is_solved else None
    accuracy = accuracy_check(state.actor) if accuracy_check else None
    return None if run.init_from else accuracy
