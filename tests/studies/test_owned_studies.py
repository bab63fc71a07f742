"""Who writes into a study's folder: one process its results, and one each run."""

import contextlib
import dataclasses
import json
import os
import re
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

import azjax.studies.ratings as ratings_module
import azjax.studies.run_study as run_study_module
import azjax.studies.training as training_module
from azjax.config.limits import Limits
from azjax.runs.session import Outcome
from azjax.studies.ratings import rate_agents
from azjax.studies.run_study import run_study
from azjax.studies.study_directory import open_study_directory
from azjax.studies.training import train_study
from azjax.support.errors import InputError, RunError
from azjax.support.files.ownership import TakenError, owned
from azjax.support.files.tables import write_table


def take_from_elsewhere(study):
    """Does what a process on a machine does that locks do not reach."""
    owner = {"host": "far", "pid": 7, "since": "2026-01-01 00:00:00 UTC", "token": "x"}
    (study.path / ".owner").write_text(json.dumps(owner))


@pytest.fixture
def untrained(monkeypatch):
    """Replaces training."""
    monkeypatch.setattr(run_study_module, "train_study", lambda study, console: [])


def write_report(study):
    """Writes what tells other workers that the study is reported."""
    runs = [{"cell": cell.name, "seed": seed} for cell in study.cells for seed in study.seeds]
    for run in runs:
        log = study.run_path(run["cell"], run["seed"]) / "metrics.jsonl"
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text("")
        os.utime(log, ns=(0, 0))
    write_table(study.path / "final.csv", runs)
    (study.path / "report.md").write_text("")


def test_a_worker_leaves_the_report_to_the_one_that_writes_it(
    study, console, printed, untrained, monkeypatch
):
    monkeypatch.setattr(run_study_module, "_measure", None)
    clock = SimpleNamespace(sleep=lambda seconds: write_report(study))
    monkeypatch.setattr(run_study_module, "time", clock)
    open_study_directory(study)
    with owned(study.path):
        run_study(study, console)
    assert printed().splitlines()[-1] == f"{study.path}/report.md"


def test_the_report_of_a_worker_that_has_died_is_written_by_another(
    study, console, untrained, monkeypatch
):
    monkeypatch.setattr(run_study_module, "_measure", None)
    open_study_directory(study)
    with contextlib.ExitStack() as other:
        other.enter_context(owned(study.path))
        clock = SimpleNamespace(sleep=lambda seconds: other.close())
        monkeypatch.setattr(run_study_module, "time", clock)
        with pytest.raises(TypeError):  # it measures
            run_study(study, console)


def test_a_failure_is_told_by_the_worker_that_had_it(study, console, monkeypatch):
    def train(study, console):
        write_report(study)  # another worker does
        return ["a: it broke"]

    monkeypatch.setattr(run_study_module, "train_study", train)
    open_study_directory(study)
    with pytest.raises(RunError, match="1 run failed: a: it broke"):
        run_study(study, console)


@pytest.mark.parametrize("fault", [None, "no report", "another design", "an older report"])
def test_a_report_of_another_worker_counts_if_it_is_new_and_of_every_run(
    study, console, monkeypatch, fault
):
    def train(study, console):
        if fault != "an older report":
            write_report(study)
        if fault == "no report":
            (study.path / "report.md").unlink()
        elif fault == "another design":
            write_table(study.path / "final.csv", [{"cell": "slow", "seed": 0}])
        return []

    monkeypatch.setattr(run_study_module, "train_study", train)
    monkeypatch.setattr(run_study_module, "_measure", None)
    open_study_directory(study)
    if fault == "an older report":
        write_report(study)
    with pytest.raises(TypeError) if fault else contextlib.nullcontext():  # it measures
        run_study(study, console)


def test_a_study_is_not_extended_while_another_process_writes_it(
    study, console, untrained, monkeypatch
):
    monkeypatch.setattr("azjax.studies.study_directory._PATIENCE_SECONDS", 0.0)
    open_study_directory(study)
    longer = dataclasses.replace(study, limits=Limits(None, 9))
    before = (study.path / "study.json").read_bytes()
    in_use = f"{re.escape(str(study.path))} is in use by"
    with owned(study.path), pytest.raises(InputError, match=in_use):
        run_study(longer, console, extend=True)
    assert (study.path / "study.json").read_bytes() == before


def test_a_study_that_is_taken_from_elsewhere_writes_no_results(
    study, console, untrained, monkeypatch
):
    def take(study, evaluations, console):
        take_from_elsewhere(study)
        return []

    monkeypatch.setattr(run_study_module, "read_evaluations", lambda study: [])
    monkeypatch.setattr(run_study_module, "measure_by_own_search", take)
    with pytest.raises(RunError, match="now belongs to process 7 on far"):
        run_study(study, console)
    names = {path.name for path in study.path.iterdir()}
    assert names == {"study.json", "sessions.jsonl", ".owner"}


def test_a_study_that_is_taken_from_elsewhere_adds_no_match(study, console, monkeypatch):
    def play(*arguments, on_match, **settings):
        take_from_elsewhere(study)
        on_match(None)

    monkeypatch.setattr(ratings_module, "play_round_robin", play)
    monkeypatch.setattr(ratings_module, "load_evaluated_agent", lambda name: Mock())
    accuracies = {"accuracy_search": 0.5, "accuracy_network": 0.25}
    rows = [{"cell": "slow", "seed": seed, "iteration": 4, **accuracies} for seed in study.seeds]
    with owned(study.path) as owner, pytest.raises(RunError, match="now belongs to process 7"):
        rate_agents(dataclasses.replace(study, owner=owner), rows, console)
    assert not (study.path / "matches.jsonl").exists()


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
    def finish_others(seconds):
        finished.extend(study.run_path(cell.name, seed) for cell in study.cells for seed in (0, 1))

    finished = trained
    monkeypatch.setattr(training_module, "time", SimpleNamespace(sleep=finish_others))
    slow, fast = runs_of(study)
    training_module._create_runs(study, study.cells[0], slow, Mock())
    with owned(slow[1]):
        result = train_study(study, console)
    assert result == []
    assert trained[:3] == [slow[0], *fast]
    assert "waiting for 1 run of other workers" in printed().splitlines()


def test_a_run_whose_metrics_are_damaged_fails_alone(study, console, trained):
    slow, fast = runs_of(study)
    training_module._create_runs(study, study.cells[0], slow, Mock())

    def is_finished(run):
        if run.path == slow[0]:
            raise InputError("line 2, is damaged")
        return run.path in trained

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training_module, "_is_finished", is_finished)
        with pytest.raises(RunError, match=r"slow/seed=0: line 2, is damaged; it has no results"):
            train_study(study, console)
    assert trained == [slow[1], *fast]


def test_a_worker_that_has_lost_a_cell_creates_no_run_in_it(study, trained):
    owner = Mock()
    owner.check.side_effect = [None, TakenError("it now belongs to another process")]
    slow, _ = runs_of(study)
    with pytest.raises(TakenError):
        training_module._create_runs(study, study.cells[0], slow, owner)
    assert [path.exists() for path in slow] == [True, False]
