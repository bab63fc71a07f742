"""A study's folder belongs to one process at a time."""

import dataclasses
import json
import re
from unittest.mock import Mock

import pytest

import azjax.studies.ratings as ratings_module
import azjax.studies.run_study as run_study_module
from azjax.config.limits import Limits
from azjax.studies.ratings import rate_agents
from azjax.studies.run_study import run_study
from azjax.studies.study_directory import open_study_directory
from azjax.support.errors import InputError, RunError
from azjax.support.ownership import owned


def take_from_elsewhere(study):
    """Does what a process on a machine does that locks do not reach."""
    owner = {"host": "far", "pid": 7, "since": "2026-01-01 00:00:00 UTC", "token": "x"}
    (study.path / ".owner").write_text(json.dumps(owner))


@pytest.fixture
def untrained(monkeypatch):
    """Replaces training; returns the studies that it was called with."""
    studies = []
    monkeypatch.setattr(
        run_study_module, "train_study", lambda study, console: studies.append(study)
    )
    return studies


def test_a_second_process_is_refused_and_changes_nothing(study, console, untrained):
    open_study_directory(study)
    longer = dataclasses.replace(study, limits=Limits(None, 9))
    before = (study.path / "study.json").read_bytes()
    with owned(study.path):
        for given, extend in ((study, False), (longer, True)):
            with pytest.raises(InputError, match=f"{re.escape(str(study.path))} is in use by"):
                run_study(given, console, extend=extend)
    assert (study.path / "study.json").read_bytes() == before
    assert untrained == []


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


def test_a_run_that_another_process_trains_stops_the_study_before_it_compiles(
    study, console, monkeypatch
):
    monkeypatch.setattr("azjax.studies.training.evaluation_interval", lambda *arguments: 1)
    monkeypatch.setattr("azjax.studies.training.train_population", lambda *_, **__: True)
    with pytest.raises(KeyboardInterrupt):  # stopped when the runs have been created
        run_study(study, console)
    monkeypatch.setattr("azjax.studies.training.train_population", None)
    path = study.run_path("slow", 1)
    with (
        owned(path),
        pytest.raises(InputError, match=f"{re.escape(str(path))} is in use by process"),
    ):
        run_study(study, console)
