"""The evaluation interval of a study's runs, given or from a few timed iterations."""

import statistics

import jax

from azjax.runs.evaluation.gating import is_gated
from azjax.runs.slots import Slots
from azjax.studies.study import Cell, Study
from azjax.training import init_train_state

_NUM_EVALUATIONS = 12  # of each run, about, besides those at every eighth of it
_NUM_ITERATIONS = 5  # timed; the first one is slower, so the median counts


def evaluation_interval(study: Study, cell: Cell, num_devices: int) -> int:
    """Returns the iterations between evaluations: the study's, or else for about twenty in all.

    The timed iterations train all seeds in one population, as the study does on a GPU: there an
    iteration's seconds depend on the number of slots. Their results are discarded. A gated run has
    the interval of its configuration: another one would change what it learns.
    """
    if is_gated(cell.config.train):
        return cell.config.evaluate_every
    if study.evaluate_every is not None:
        return study.evaluate_every
    minutes, iterations = study.limits.minutes, study.limits.iterations
    if minutes is None:
        return max(1, (iterations or 1) // _NUM_EVALUATIONS)
    train = cell.config.train
    slots = Slots(train, num_devices, study.num_seeds)
    init = jax.jit(init_train_state)
    for slot in slots.free_slots():
        slots.acquire(slot, train)
        slots.set_state(slot, init(train, jax.random.key(slot)))
    seconds = [slots.iterate()[1] for _ in range(_NUM_ITERATIONS)]
    return max(1, round(60 * minutes / statistics.median(seconds) / _NUM_EVALUATIONS))
