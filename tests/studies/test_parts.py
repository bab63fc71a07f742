"""Evaluation intervals, ratings and play time of a study, each by itself."""

import dataclasses
import itertools
from unittest.mock import Mock

import azjax.studies.training as training_module
from azjax.config.limits import Limits
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
    monkeypatch.setattr(training_module, "Slots", make_slots)
    timed = dataclasses.replace(study, limits=Limits(minutes=5.0, iterations=None))
    assert evaluation_interval(timed, study.cells[0], 1) == 600 / 12
    assert [call.args[0] for call in made[0].set_state.call_args_list] == [0, 1]
    short = dataclasses.replace(study, limits=Limits(minutes=0.01, iterations=None))
    assert evaluation_interval(short, study.cells[0], 1) == 1
    counted = dataclasses.replace(study, limits=Limits(minutes=None, iterations=120))
    assert evaluation_interval(counted, study.cells[0], 1) == 10


def test_a_gated_run_has_the_interval_of_its_configuration(study, monkeypatch):
    monkeypatch.setattr(training_module, "Slots", None)
    cell, given = study.cells[0], dataclasses.replace(study, evaluate_every=3)
    gated = dataclasses.replace(with_parts(cell.config, "gating"), evaluate_every=7)
    assert evaluation_interval(given, dataclasses.replace(cell, config=gated), 1) == 7
    assert evaluation_interval(given, cell, 1) == 3
