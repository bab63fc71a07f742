"""Which evaluations are measured by the agent's own search, and which are read or copied."""

import dataclasses

import numpy as np
import pytest

import azjax.studies.own_search as own_search_module
from azjax.config.fields import with_fields
from azjax.studies.own_search import measure_by_own_search
from azjax.support.errors import RunError
from azjax.support.files.ownership import owned


def evaluation(cell, iteration, accuracy=0.7):
    row = {"cell": cell, "seed": 0, "iteration": iteration}
    return row | {"accuracy_search": accuracy, "accuracy_network": 0.6}


@pytest.fixture
def begun(with_common_search, monkeypatch):
    """Returns the study; no network is real."""
    with_common_search.path.mkdir()
    monkeypatch.setattr(own_search_module, "open_run", lambda path: path)
    monkeypatch.setattr(own_search_module, "kept_networks", lambda run: [4, 8])
    return with_common_search


@pytest.fixture
def measured(monkeypatch):
    """Returns the list of networks that are measured, as cells and iterations."""
    calls = []

    def measure(study, row):
        calls.append((row["cell"], row["iteration"]))
        return {"search": np.array([True, True, False, True, True])}

    monkeypatch.setattr(own_search_module, "_measure", measure)
    return calls


def own(rows):
    return [row["accuracy_own_search"] for row in rows]


def test_neither_the_common_search_is_measured_nor_a_network_that_is_not_kept(
    begun, console, measured
):
    rows = [evaluation("slow", 0), evaluation("slow", 4), evaluation("fast", 4)]
    assert own(measure_by_own_search(begun, rows, console)) == [None, 0.8, 0.7]
    assert measured == [("slow", 4)]


def test_the_common_search_with_other_numbers_is_measured(begun, console, measured):
    slow, fast = begun.cells
    fast = dataclasses.replace(fast, config=with_fields(fast.config, {"search.c_puct": 2.5}))
    study = dataclasses.replace(begun, cells=(slow, fast))
    assert own(measure_by_own_search(study, [evaluation("fast", 4)], console)) == [0.8]
    assert measured == [("fast", 4)]


def test_only_what_is_new_is_measured(begun, console, measured):
    measure_by_own_search(begun, [evaluation("slow", 4)], console)
    measure_by_own_search(begun, [evaluation("slow", 4), evaluation("slow", 8)], console)
    assert [iteration for _, iteration in measured] == [4, 8]
    # A run that failed and began again has another network of the same iteration.
    measure_by_own_search(begun, [evaluation("slow", 8, accuracy=0.9)], console)
    assert [iteration for _, iteration in measured] == [4, 8, 8]


def test_nothing_is_written_into_a_folder_that_another_process_has_taken(begun, console, measured):
    with owned(begun.path) as owner:
        (begun.path / ".owner").write_text("another")
        study = dataclasses.replace(begun, owner=owner)
        with pytest.raises(RunError, match="now belongs to another process"):
            measure_by_own_search(study, [evaluation("slow", 4)], console)
    assert [path.name for path in begun.path.iterdir()] == [".owner"]
