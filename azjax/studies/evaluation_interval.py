"""How often a run is looked at, found by a pilot: a few iterations of it, timed and thrown away."""

import statistics

import jax

from azjax.runs.slots import Slots
from azjax.studies.study import Cell, Study
from azjax.training import init_train_state

_LOOKS = 20  # at each run, about
_ITERATIONS = 5  # of which the first one is slower: their median counts


def evaluation_interval(study: Study, cell: Cell, num_devices: int) -> int:
    """Returns after how many iterations to look, so that a run has some twenty looks.

    All seeds are iterated side by side, as they will be, for that changes how long each one takes.
    """
    if study.limits.minutes is None:
        return max(1, study.limits.iterations // _LOOKS)
    train, hparams = cell.config.train, cell.config.hparams
    slots = Slots(train, num_devices, study.num_seeds)
    init = jax.jit(init_train_state, static_argnums=0)
    for slot in slots.free():
        slots.take(slot, hparams)
        slots.put(slot, init(train, hparams, jax.random.key(slot)))
    seconds = [slots.iterate()[1] for _ in range(_ITERATIONS)]
    return max(1, round(60 * study.limits.minutes / statistics.median(seconds) / _LOOKS))
