"""Seconds of an iteration of each cell of a study, timed one cell after the other, in turn.

Runs of equally many iterations may have shared the machine with other work, each with its own.
Timed in turn, all cells share it with the same.
"""

import statistics

import jax
import numpy as np
from rich.console import Console

from azjax.runs.slots import Slots
from azjax.studies.answers import counted_steps
from azjax.studies.study import Cell, Study
from azjax.support.files.tables import Row, read_table, write_table
from azjax.support.machine.target import targets_cpu
from azjax.training import init_train_state

NUM_ITERATIONS = 5  # timed, after a first one, which is slower
_FILE = "iteration_seconds.csv"


def runs_at_once(study: Study) -> int:
    """Returns how many runs of a cell are trained in one program.

    On a GPU an iteration's seconds depend on their number, so there they are all seeds, whichever
    of them are left; a CPU computes runs one after another.
    """
    return 1 if targets_cpu() else study.num_seeds


def timed_slots(study: Study, cell: Cell, num_devices: int) -> Slots:
    """Returns new runs of a cell, as many at once as its study trains; to time their iterations."""
    train = cell.config.train
    slots = Slots(train, num_devices, runs_at_once(study))
    init = jax.jit(init_train_state)
    for slot in slots.free_slots():
        slots.acquire(slot, train)
        slots.set_state(slot, init(train, jax.random.key(slot)))
    return slots


def with_timed_seconds(study: Study, evaluations: list[Row], console: Console) -> list[Row]:
    """Returns evaluations with the seconds that so many iterations take by themselves.

    They include the matches of gating as they were timed in training. In a study by minutes all
    seconds are as they were trained.
    """
    if study.limits.minutes is not None:
        return evaluations
    path = study.path / _FILE
    rows = read_table(path) if path.exists() else []
    if {row["cell"] for row in rows} != {cell.name for cell in study.cells}:
        rows = _measure(study, console)
        study.check_owner()
        write_table(path, rows)
    seconds = {row["cell"]: row["seconds"] for row in rows}
    return [
        row | {"seconds": row["iteration"] * seconds[row["cell"]] + row["gating_seconds"]}
        for row in evaluations
    ]


def _measure(study: Study, console: Console) -> list[Row]:
    devices = len(jax.devices())
    slots = {
        cell.name: timed_slots(study, cell, cell.config.train.most_devices(devices))
        for cell in study.cells
    }
    advance = counted_steps(console, "seconds of an iteration", NUM_ITERATIONS)
    found: dict[str, list[float]] = {name: [] for name in slots}
    for of_cell in slots.values():
        of_cell.iterate()
    for progress in (np.arange(NUM_ITERATIONS) + 0.5) / NUM_ITERATIONS:
        for name, of_cell in slots.items():
            of_cell.progress[:] = progress  # searches may grow with it
            found[name].append(of_cell.iterate()[1])
        advance()
    return [{"cell": name, "seconds": statistics.mean(x)} for name, x in found.items()]
