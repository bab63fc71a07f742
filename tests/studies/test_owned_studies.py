"""Who writes into a study's folder: one process its results, and one each run."""

import contextlib
import dataclasses
import json
import os
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

import azjax.studies.run_study as run_study_module
import azjax.studies.training as training_module
from azjax.config.limits import Limits
from azjax.runs.session import Outcome
from azjax.studies.run_study import run_study
from azjax.studies.study_directory import open_study_directory
from azjax.studies.training import train_study
from azjax.support.errors import InputError, RunError
from azjax.support.files.ownership import owned
from azjax.support.files.tables import write_table


@pytest.fixture
def untrained(monkeypatch):
    """Replaces training."""
    monkeypatch.setattr(run_study_module, "train_study", lambda study, console: [])


@pytest.fixture
def begun(study, monkeypatch):
    """Returns the study after its folder was created; to measure it is a TypeError."""
    open_study_directory(study)
    monkeypatch.setattr(run_study_module, "_measure", None)
    return study


def write_report(study):
    """Writes what tells other workers that the study is reported."""
    runs = [{"cell": cell.name, "seed": seed} for cell in study.cells for seed in study.seeds]
    for run in runs:
        log = study.run_path(run["cell"], run["seed"]) / "metrics.jsonl"
        log.parent.mkdir(parents=True, exist_ok=True)
        log.touch()
        os.utime(log, ns=(0, 0))
    write_table(study.path / "final.csv", runs)
    (study.path / "report.md").touch()


def test_a_worker_leaves_the_report_to_the_one_that_writes_it(
    begun, console, untrained, monkeypatch
):
    clock = SimpleNamespace(sleep=lambda seconds: write_report(begun))
    monkeypatch.setattr(run_study_module, "time", clock)
    with owned(begun.path):
        run_study(begun, console)


def test_the_report_of_a_worker_that_has_died_is_written_by_another(
    begun, console, untrained, monkeypatch
):
    with contextlib.ExitStack() as other:
        other.enter_context(owned(begun.path))
        clock = SimpleNamespace(sleep=lambda seconds: other.close())
        monkeypatch.setattr(run_study_module, "time", clock)
        with pytest.raises(TypeError):
            run_study(begun, console)


@pytest.mark.parametrize("fault", [None, "no report", "an older report"])
def test_a_report_of_another_worker_counts_if_it_is_new_and_of_every_run(
    begun, console, monkeypatch, fault
):
    def train(study, console):
        if fault != "an older report":
            write_report(study)
        if fault == "no report":
            (study.path / "report.md").unlink()
        return [] if fault else ["a: it broke"]  # a failure that this worker had

    monkeypatch.setattr(run_study_module, "train_study", train)
    if fault == "an older report":
        write_report(begun)
    with pytest.raises(TypeError if fault else RunError) as error:
        run_study(begun, console)
    assert fault or str(error.value) == "1 run failed: a: it broke"


def test_a_study_is_not_extended_while_another_process_writes_it(
    begun, console, untrained, monkeypatch
):
    monkeypatch.setattr("azjax.studies.study_directory._PATIENCE_SECONDS", 0.0)
    longer = dataclasses.replace(begun, limits=Limits(None, 9))
    before = (begun.path / "study.json").read_bytes()
    with owned(begun.path), pytest.raises(InputError, match="is in use by"):
        run_study(longer, console, extend=True)
    assert (begun.path / "study.json").read_bytes() == before


def test_a_study_that_is_taken_from_elsewhere_writes_no_results(
    study, console, untrained, monkeypatch
):
    def take(study, evaluations, console):
        owner = {"host": "far", "pid": 7, "since": "2026-01-01 00:00:00 UTC", "token": "x"}
        (study.path / ".owner").write_text(json.dumps(owner))  # where locks do not reach
        return []

    monkeypatch.setattr(run_study_module, "read_evaluations", lambda study: [])
    monkeypatch.setattr(run_study_module, "with_timed_seconds", take)
    with pytest.raises(RunError, match="now belongs to process 7 on far"):
        run_study(study, console)
    names = {path.name for path in study.path.iterdir()}
    assert names == {"study.json", "sessions.jsonl", ".owner"}


@pytest.fixture
def trained(study, monkeypatch):
    """Returns the runs that a study trains, which are finished at once."""

    def train(runs, num_slots, *arguments, on_end):
        for run in runs:
            trained.append(run.path)
            on_end(run, Outcome([], None, 0.0, was_interrupted=False))
        return False

    trained = []
    monkeypatch.setattr(training_module, "evaluation_interval", lambda *arguments: 1)
    monkeypatch.setattr(training_module, "_is_finished", lambda run: run.path in trained)
    monkeypatch.setattr(training_module, "train_population", train)
    open_study_directory(study)
    return trained


def runs_of(study):
    return [[study.run_path(name, seed) for seed in (0, 1)] for name in ("slow", "fast")]


def test_runs_of_other_processes_are_waited_for(study, console, printed, trained, monkeypatch):
    slow, fast = runs_of(study)
    clock = SimpleNamespace(sleep=lambda seconds: trained.append(slow[1]))
    monkeypatch.setattr(training_module, "time", clock)
    training_module._create_runs(study, study.cells[0], slow, Mock())
    with owned(slow[1]):
        assert train_study(study, console) == []
    assert trained == [slow[0], *fast, slow[1]]
    assert "waiting for 1 run of other workers" in printed().splitlines()
