"""Which evaluations are measured by the agent's own search, and which are read or copied."""

import dataclasses
import types

import numpy as np
import pytest

import azjax.studies.answers as answers_module
from azjax.config.fields import with_fields
from azjax.studies.answers import measure_by_own_search, measure_by_training_search


def evaluation(cell, iteration, accuracy=0.7):
    row = {"cell": cell, "seed": 0, "iteration": iteration}
    return row | {"accuracy_search": accuracy, "accuracy_network": 0.6}


@pytest.fixture
def begun(with_common_search, monkeypatch):
    """Returns the study; no network is real."""
    with_common_search.path.mkdir()
    monkeypatch.setattr(
        answers_module, "open_run", lambda path: types.SimpleNamespace(history=path)
    )
    monkeypatch.setattr(answers_module, "saved_iterations", lambda history: [4, 8])
    return with_common_search


@pytest.fixture
def measured(monkeypatch):
    """Returns the list of networks that are measured, as cells and iterations."""
    calls = []

    def measure(study, row, num_simulations):
        calls.append((row["cell"], row["iteration"], num_simulations))
        return {"search": np.array([True, True, False, True, True])}

    monkeypatch.setattr(answers_module, "_measure", measure)
    return calls


def own(rows):
    return [row["accuracy_own_search"] for row in rows]


def test_neither_the_common_search_is_measured_nor_a_network_that_is_not_kept(
    begun, console, measured
):
    rows = [evaluation("slow", 0), evaluation("slow", 4), evaluation("fast", 4)]
    assert own(measure_by_own_search(begun, rows, console)) == [None, 0.8, 0.7]
    assert measured == [("slow", 4, begun.evaluation[1])]


def test_the_common_search_with_other_numbers_is_measured(begun, console, measured):
    slow, fast = begun.cells
    fast = dataclasses.replace(fast, config=with_fields(fast.config, {"search.c_puct": 2.5}))
    study = dataclasses.replace(begun, cells=(slow, fast))
    assert own(measure_by_own_search(study, [evaluation("fast", 4)], console)) == [0.8]
    assert measured == [("fast", 4, begun.evaluation[1])]


def test_last_networks_are_measured_with_the_simulations_of_training(begun, console, measured):
    slow, fast = begun.cells
    fields = {"search.num_simulations": 3}
    fast = dataclasses.replace(fast, config=with_fields(fast.config, fields))
    study, finals = dataclasses.replace(begun, cells=(slow, fast)), [evaluation("fast", 8)]
    rows, answers = measure_by_training_search(study, finals, console)
    assert (rows[0]["accuracy_training_search"], measured) == (0.8, [("fast", 8, 3)])
    assert answers == {}  # the positions are all there are
