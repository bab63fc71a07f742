"""A study from its first run to its report: stopped, resumed, and refused."""

import dataclasses
import json
import pathlib
import shutil
import sys

import numpy as np
import pytest
from command_line import snapshot

import azjax.studies.answers as answers_module
import azjax.studies.run_study as run_study_module
import azjax.studies.training as training_module
from azjax.config.limits import Limits
from azjax.runs.session import Outcome
from azjax.runs.storage.checkpoints import restore
from azjax.runs.storage.metrics_log import read_metrics
from azjax.runs.storage.run_folders import open_run
from azjax.studies.run_study import run_study
from azjax.support.errors import RunError
from azjax.support.files.tables import read_table
from azjax.support.provenance.session_log import read_sessions

pytestmark = pytest.mark.slow


def without_times(rows):
    timed = ("seconds", "iteration_seconds", "compile_seconds", "memory_mb")
    rated = ("games_per_second", "simulations_per_second")
    return [{k: v for k, v in row.items() if k not in timed + rated} for row in rows]


def test_every_cell_is_trained_from_every_seed_to_its_limits(done):
    for cell in done.cells:
        for seed in done.seeds:
            folder = done.run_path(cell.name, seed)
            run = json.loads((folder / "run.json").read_text())
            assert run["seed"] == seed
            assert run["keep_all_networks"]
            assert run["config"]["optimizer"]["learning_rate"] == cell.factors["rate"]
            assert [row["iteration"] for row in read_metrics(folder / "metrics.jsonl")] == [
                *range(5)
            ]


def test_tables_have_a_row_for_each_observation(done):
    curves = read_table(done.path / "curves.csv")
    found = {(row["cell"], row["seed"], row["iteration"]) for row in curves}
    assert len(curves) == len(found) == 20
    for row in curves:
        assert row["positions"] == 32 * row["iteration"]
        assert row["evaluations"] == 5 * row["positions"]
        metrics = read_metrics(done.run_path(row["cell"], row["seed"]) / "metrics.jsonl")
        assert row["accuracy_search"] == metrics[row["iteration"]]["accuracy_search"]
    finals = read_table(done.path / "final.csv")
    assert [(row["cell"], row["seed"], row["iteration"]) for row in finals] == [
        (cell.name, seed, 4) for cell in done.cells for seed in done.seeds
    ]
    assert sum(row["elo"] for row in finals) == pytest.approx(0, abs=0.01 * len(finals))
    summary = read_table(done.path / "summary.csv")
    assert len(summary) == 2 * 6
    assert all(row["low"] <= row["mean"] <= row["high"] for row in summary)
    comparisons = read_table(done.path / "comparisons.csv")
    assert len(comparisons) == 3 * 5 + 1
    verdict = read_table(done.path / "verdict.csv")
    assert [row["result"] for row in verdict] == ["accuracy_search", "accuracy_own_search"]


def test_the_last_network_of_every_seed_plays_at_play_time(done):
    """None is chosen by its accuracy, under any search."""
    [row] = read_table(done.path / "play_time.csv")
    assert (row["search"], row["num_simulations"]) == ("gumbel", 2)
    names = [f"{cell}/seed={seed}@4" for cell in ("slow", "fast") for seed in (0, 1)]
    networks = row["networks"].split(", ")
    assert [network.split()[0] for network in networks] == names
    finals = read_table(done.path / "final.csv")
    shares = [final["accuracy_own_search"] for final in finals]  # gumbel with 2 simulations, too
    assert row["accuracy"] == pytest.approx(np.mean(shares), abs=1e-5)
    assert row["accuracy_low"] < row["accuracy"] < row["accuracy_high"]
    assert row["lead"] == row["lead_low"] == row["lead_high"] == 0  # over itself
    assert row["ms_per_position_alone"] > row["ms_per_position_in_batch"] > 0


def test_finished_steps_are_skipped(done, moved, tmp_path, console, monkeypatch):
    folder = tmp_path / "study"
    shutil.copytree(done.path, folder)
    shutil.rmtree(moved(folder).run_path("slow", 0) / "checkpoints")  # to save space
    before = snapshot(folder)
    for step in ("train_population", "evaluation_interval"):
        monkeypatch.setattr(training_module, step, None)
    for step in ("rate_agents", "measure_play_time"):
        monkeypatch.setattr(run_study_module, step, None)
    monkeypatch.setattr(answers_module, "load_agent", None)
    run_study(moved(folder), console)
    after = snapshot(folder)
    changed = {pathlib.PurePath(path).name for path in after if after[path] != before.get(path)}
    assert {"sessions.jsonl", "report.md"} <= changed
    assert not any(name.endswith((".csv", ".jsonl")) for name in changed - {"sessions.jsonl"})
    assert len(read_sessions(folder)) == 2


def test_a_stopped_study_is_resumed(done, moved, tmp_path, console):
    folder = tmp_path / "study"
    shutil.copytree(done.path, folder)
    study = moved(folder)
    killed = study.run_path("slow", 1)  # after the last row of its metrics
    shutil.rmtree(killed / "checkpoints" / "4")
    (killed / "curves.png").unlink()  # plotted after the last checkpoint
    for path in (*folder.glob("*.csv"), study.run_path("fast", 1)):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    matches = (folder / "matches.jsonl").read_text().splitlines(keepends=True)
    (folder / "matches.jsonl").write_text("".join(matches[:3]) + matches[3][:20])
    kept = study.run_path("slow", 0) / "metrics.jsonl"
    before = kept.read_bytes()
    run_study(study, console)
    assert kept.read_bytes() == before
    assert (folder / "matches.jsonl").read_text().splitlines(keepends=True) == matches
    for path in (study.run_path("fast", 1), done.run_path("fast", 1)):
        assert len(read_metrics(path / "metrics.jsonl")) == 5
    again, first = (read_metrics(s.run_path("fast", 1) / "metrics.jsonl") for s in (study, done))
    assert without_times(again) == without_times(first)
    assert (folder / "final.csv").exists()
    again, first = (restore(open_run(s.run_path("slow", 1))) for s in (study, done))
    assert (again.iteration, again.fingerprint) == (4, first.fingerprint)


def test_a_stopped_study_has_no_report_and_says_how_to_continue(
    done, moved, tmp_path, console, monkeypatch
):
    study = moved(tmp_path / "study")
    monkeypatch.setattr(training_module, "train_population", lambda *_, **__: True)
    with pytest.raises(
        KeyboardInterrupt, match=f"the same command continues it: python {sys.argv[0]}"
    ):
        run_study(study, console)
    assert (study.path / "sessions.jsonl").exists()
    assert not (study.path / "report.md").exists()


def fail(runs, *arguments, on_end):
    """Replaces `train_population`: the loss of every run is infinite in its next iteration."""
    initial = {"iteration": 0, "accuracy_search": 0.5}
    for run in runs:
        error = RunError("the loss is not finite")
        rows = read_metrics(run.metrics) or [initial]
        on_end(run, Outcome(rows, None, 0.0, was_interrupted=False, error=error))
    return False


def test_if_a_run_fails_the_others_continue(done, moved, tmp_path, console, monkeypatch):
    folder = tmp_path / "study"
    shutil.copytree(done.path, folder)
    failed = moved(folder).run_path("slow", 0) / "metrics.jsonl"
    failed.write_text("".join(failed.read_text().splitlines(keepends=True)[:3]))
    shutil.rmtree(moved(folder).run_path("fast", 1))
    train = training_module.train_population
    functions = iter([fail, train])
    monkeypatch.setattr(
        training_module, "train_population", lambda *a, **k: next(functions)(*a, **k)
    )
    (folder / "final.csv").unlink()
    (folder / "matches.jsonl").unlink()
    with pytest.raises(RunError, match=r"^1 run failed: .*slow/seed=0: the loss is not finite"):
        run_study(moved(folder), console)
    finals = read_table(folder / "final.csv")
    assert [row["iteration"] for row in finals] == [2, 4, 4, 4]
    report = (folder / "report.md").read_text()
    assert f"- {failed.parent}: the loss is not finite" in report


def test_more_seeds_are_added_to_a_finished_study(done, moved, tmp_path, console, printed):
    folder = tmp_path / "study"
    shutil.copytree(done.path, folder)
    before, matches = snapshot(folder / "runs"), (folder / "matches.jsonl").read_text()
    study = dataclasses.replace(moved(folder), num_seeds=3)
    run_study(study, console, extend=True)
    after = snapshot(folder / "runs")
    assert {path: after[path] for path in before} == before
    assert (folder / "matches.jsonl").read_text().startswith(matches)
    assert "tournament: 6 of 15" in printed().splitlines()  # those of the first two seeds
    assert "own_search: 20 of 30" in printed().splitlines()


def test_longer_runs_continue_those_of_a_finished_study(done, moved, tmp_path, console, printed):
    folder = tmp_path / "study"
    shutil.copytree(done.path, folder)
    before = {path: path.read_text() for path in (folder / "runs").rglob("metrics.jsonl")}
    study = dataclasses.replace(moved(folder), limits=Limits(minutes=None, iterations=5))
    run_study(study, console, extend=True)
    for path, text in before.items():
        assert path.read_text().startswith(text)
        assert [row["iteration"] for row in read_metrics(path)] == [*range(6)]
    assert {row["iteration"] for row in read_table(folder / "final.csv")} == {5}
    assert "tournament: 0 of 6" in printed().splitlines()  # all networks are new
