"""A study from its first run to its report: stopped, resumed, and refused."""

import dataclasses
import json
import re
import shlex
import shutil
import sys

import pytest

import azjax.studies.run_study as run_study_module
import azjax.studies.training as training_module
from azjax.config.limits import Limits
from azjax.runs.metrics_log import read_metrics
from azjax.runs.session import Outcome
from azjax.studies.evaluations import AXES
from azjax.studies.run_study import run_study
from azjax.studies.study_directory import open_study_directory
from azjax.support.errors import InputError, RunError
from azjax.support.tables import read_table

pytestmark = pytest.mark.slow


def snapshot(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


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
            assert run["config"]["hparams"]["learning_rate"] == cell.factors["rate"]
            assert [row["iteration"] for row in read_metrics(folder / "metrics.jsonl")] == [
                *range(1, 5)
            ]


def test_tables_have_a_row_for_each_observation(done):
    curves = read_table(done.path / "curves.csv")
    assert {(row["cell"], row["seed"], row["iteration"]) for row in curves} == {
        (cell.name, seed, i) for cell in done.cells for seed in done.seeds for i in range(1, 5)
    }
    assert len(curves) == 16
    for row in curves:
        assert row["positions"] == 32 * row["iteration"]
        assert row["simulations"] == 4 * row["positions"]
        metrics = read_metrics(done.run_path(row["cell"], row["seed"]) / "metrics.jsonl")
        assert row["accuracy_search"] == metrics[row["iteration"] - 1]["accuracy_search"]
    finals = read_table(done.path / "final.csv")
    assert [(row["cell"], row["seed"], row["iteration"]) for row in finals] == [
        ("slow", 0, 4),
        ("slow", 1, 4),
        ("fast", 0, 4),
        ("fast", 1, 4),
    ]
    assert sum(row["elo"] for row in finals) == pytest.approx(0, abs=0.01 * len(finals))
    summary = read_table(done.path / "summary.csv")
    assert len(summary) == 2 * 3
    assert all(row["low"] <= row["iqm"] <= row["high"] for row in summary)
    comparisons = read_table(done.path / "comparisons.csv")
    # So short a run may end before another one's first evaluation: then no time is equal.
    assert len([row for row in comparisons if row["equal"] != "seconds"]) == 2 * 2 + 1


def test_the_best_network_is_measured_at_play_time(done):
    rows = read_table(done.path / "play_time.csv")
    assert [(row["search"], row["num_simulations"]) for row in rows] == [("gumbel", 2), ("puct", 2)]
    best = max(row["accuracy_search"] for row in read_table(done.path / "final.csv"))
    assert rows[1]["accuracy"] == best  # the search of the evaluation: puct with 2 simulations
    assert all(row["ms_per_position_alone"] > row["ms_per_position_in_batch"] > 0 for row in rows)


def test_the_report_shows_figures_settings_and_results(done):
    text = (done.path / "report.md").read_text()
    images = re.findall(r"!\[.*?\]\((.*?)\)", text)
    assert len(images) == 2 * len(AXES) + 2
    for image in images:
        assert (done.path / image).is_file()
        assert (done.path / image).with_suffix(".pdf").is_file()
    assert "the seeds 0, 1" in text
    assert "puct with 2 simulations" in text
    assert shlex.join(["python", *sys.argv]) in text
    for row in read_table(done.path / "summary.csv"):
        if row["result"] == "accuracy_search":
            assert f"{row['iqm']:.2%} ({row['low']:.2%} to {row['high']:.2%})" in text


def test_finished_steps_are_skipped(done, moved, tmp_path, console, monkeypatch):
    folder = tmp_path / "study"
    shutil.copytree(done.path, folder)
    before = snapshot(folder)
    for step in ("train_population", "evaluation_interval"):
        monkeypatch.setattr(training_module, step, None)
    for step in ("rate_agents", "measure_play_time"):
        monkeypatch.setattr(run_study_module, step, None)
    run_study(moved(folder), console)
    after = snapshot(folder)
    changed = {path.name for path in after if after[path] != before.get(path)}
    assert {"sessions.jsonl", "report.md"} <= changed
    assert not any(name.endswith((".csv", ".jsonl")) for name in changed - {"sessions.jsonl"})
    assert len((folder / "sessions.jsonl").read_text().splitlines()) == 2


def test_a_stopped_study_is_resumed(done, moved, tmp_path, console):
    folder = tmp_path / "study"
    shutil.copytree(done.path, folder)
    study = moved(folder)
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
        assert len(read_metrics(path / "metrics.jsonl")) == 4
    again, first = (read_metrics(s.run_path("fast", 1) / "metrics.jsonl") for s in (study, done))
    assert without_times(again) == without_times(first)
    assert (folder / "final.csv").exists()


def test_a_stopped_study_has_no_report_and_says_how_to_continue(
    done, moved, tmp_path, console, monkeypatch
):
    study = moved(tmp_path / "study")
    monkeypatch.setattr(training_module, "train_population", lambda *_, **__: True)
    with pytest.raises(KeyboardInterrupt, match="the same command continues it"):
        run_study(study, console)
    assert (study.path / "sessions.jsonl").exists()
    assert not (study.path / "report.md").exists()


def fail(runs, *arguments, on_end):
    """Replaces `train_population`: the loss of every run is infinite at once."""
    for run in runs:
        error = RunError("the loss is not finite")
        outcome = Outcome(read_metrics(run.metrics), None, 0.0, was_interrupted=False, error=error)
        on_end(run, outcome)
    return False


def test_if_a_run_fails_the_others_continue(done, moved, tmp_path, console, monkeypatch):
    folder = tmp_path / "study"
    shutil.copytree(done.path, folder)
    failed = moved(folder).run_path("slow", 0) / "metrics.jsonl"
    failed.write_text("".join(failed.read_text().splitlines(keepends=True)[:2]))
    shutil.rmtree(moved(folder).run_path("fast", 1))
    train = training_module.train_population
    functions = iter([fail, train])
    monkeypatch.setattr(
        training_module, "train_population", lambda *a, **k: next(functions)(*a, **k)
    )
    (folder / "final.csv").unlink()
    (folder / "matches.jsonl").unlink()
    run_study(moved(folder), console)
    finals = read_table(folder / "final.csv")
    assert [row["iteration"] for row in finals] == [2, 4, 4, 4]
    report = (folder / "report.md").read_text()
    assert "These runs failed, and count with their last evaluations" in report
    assert f"- {failed.parent}: the loss is not finite" in report


def test_a_run_that_fails_before_its_first_evaluation_leaves_no_report(
    moved, tmp_path, console, monkeypatch
):
    monkeypatch.setattr(training_module, "train_population", fail)
    with pytest.raises(RunError, match=r"slow/seed=0: the loss is not finite; it has no results"):
        run_study(moved(tmp_path / "study"), console)
    assert not (tmp_path / "study" / "report.md").exists()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"num_seeds": 3}, "seeds was 2, is 3"),
        ({"limits": Limits(1.0, None)}, "limits.minutes was null, is 1.0"),
        ({"name": "ablate"}, 'study was "compare_rates", is "ablate"'),
    ],
)
def test_another_study_is_refused_and_its_folder_left_unchanged(done, change, words):
    before = snapshot(done.path)
    with pytest.raises(InputError, match=re.escape(words)):
        open_study_directory(dataclasses.replace(done, **change))
    assert snapshot(done.path) == before


def test_another_configuration_is_refused_by_its_field(done):
    cell = done.cells[0]
    train = dataclasses.replace(cell.config.train, num_updates=7)
    other = dataclasses.replace(cell, config=dataclasses.replace(cell.config, train=train))
    words = "cells.slow.config.train.num_updates was 1, is 7"
    with pytest.raises(InputError, match=re.escape(words)):
        open_study_directory(dataclasses.replace(done, cells=(other, done.cells[1])))


def test_a_folder_with_other_files_is_refused(moved, tmp_path):
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(InputError, match="not an empty folder"):
        open_study_directory(moved(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_a_damaged_study_file_is_refused(moved, tmp_path):
    (tmp_path / "study.json").write_text("{")
    with pytest.raises(InputError, match=r"study\.json cannot be read"):
        open_study_directory(moved(tmp_path))
