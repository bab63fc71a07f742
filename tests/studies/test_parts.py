"""Evaluation intervals, ratings and play time of a study, each by itself."""

import dataclasses
import itertools
from unittest.mock import Mock

import numpy as np
import pytest

import azjax.studies.iteration_seconds as timing_module
from azjax.config.limits import Limits
from azjax.studies.iteration_seconds import with_timed_seconds
from azjax.studies.options import with_parts
from azjax.studies.training import evaluation_interval


def test_a_run_has_about_twenty_evaluations_with_those_at_every_eighth(study, monkeypatch):
    """The first iteration takes a minute, and every other one half a second."""

    def make_slots(config, num_devices, num_slots):
        seconds = itertools.chain([60.0], itertools.repeat(0.5))
        slots = Mock(free_slots=lambda: range(num_slots), iterate=lambda: (None, next(seconds)))
        made.append(slots)
        return slots

    made = []
    monkeypatch.setattr(timing_module, "Slots", make_slots)
    timed = dataclasses.replace(study, limits=Limits(minutes=5.0, iterations=None))
    assert evaluation_interval(timed, study.cells[0], 1) == 600 / 12
    assert [call.args[0] for call in made[0].set_state.call_args_list] == [0]
    short = dataclasses.replace(study, limits=Limits(minutes=0.01, iterations=None))
    assert evaluation_interval(short, study.cells[0], 1) == 1
    counted = dataclasses.replace(study, limits=Limits(minutes=None, iterations=120))
    assert evaluation_interval(counted, study.cells[0], 1) == 10


def test_times_of_counted_iterations_are_those_of_the_cells_in_turn(study, console, monkeypatch):
    """An iteration of the second cell takes longer the further the run is, as searches grow."""

    class Slots:
        def __init__(self, study, cell, num_devices):
            self.progress = np.zeros(1)
            self.growth = 10.0 * study.cells.index(cell)

        def iterate(self):
            return None, 1.0 + self.growth * float(self.progress[0])

    monkeypatch.setattr(timing_module, "timed_slots", Slots)
    study.path.mkdir()
    counted = dataclasses.replace(study, limits=Limits(minutes=None, iterations=120))
    rows = [
        {"cell": cell.name, "iteration": 10, "seconds": 999.0, "gating_seconds": 3.0}
        for cell in study.cells
    ]
    for _ in range(2):  # the second time from the file
        timed = with_timed_seconds(counted, rows, console)
        assert [row["seconds"] for row in timed] == [pytest.approx(13.0), pytest.approx(63.0)]
    by_minutes = dataclasses.replace(study, limits=Limits(minutes=5.0, iterations=None))
    assert with_timed_seconds(by_minutes, rows, console) == rows


def test_a_gated_run_has_the_interval_of_its_configuration(study, monkeypatch):
    monkeypatch.setattr(timing_module, "Slots", None)
    cell, given = study.cells[0], dataclasses.replace(study, evaluate_every=3)
    gated = dataclasses.replace(with_parts(cell.config, "gating"), evaluate_every=7)
    assert evaluation_interval(given, dataclasses.replace(cell, config=gated), 1) == 7
    assert evaluation_interval(given, cell, 1) == 3
