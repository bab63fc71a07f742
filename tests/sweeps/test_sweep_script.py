"""The script from its command to its results, on a tiny network; bad input."""

import csv
import json
import re
import runpy
import sys

import pytest
from command_line import assert_one_line, snapshot
from sweeping import SCRIPT

from azjax.agents.agent import load_agent
from azjax.config.preset_file import read_preset
from azjax.support.component import structure
from azjax.sweeps.trial_rows import format_number

REAL = ("--trials", 3, "--places", 2, "--minutes", 5, "--trial-minutes", 0.002, "--out", "out")


@pytest.mark.slow
def test_a_sweep_ends_with_a_preset_a_table_and_a_report(sweep, preset, tmp_path):
    result = sweep(*REAL)
    assert (result.code, result.err) == (0, "")
    out = tmp_path / "out"
    with (out / "trials.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 3
    complete = [row for row in rows if row["state"] == "finished"]
    assert complete
    assert {row["state"] for row in rows} <= {"finished", "stopped early"}
    best = max(complete, key=lambda row: float(row["score"]))
    assert best["score"] == best["validation_accuracy"]
    assert 0 < float(best["test_accuracy"]) < 1
    assert load_agent(out / best["run"]).was_chosen
    found = read_preset(out / "best.toml")
    run = json.loads((out / best["run"] / "run.json").read_text())
    assert found.config.train.optimizer.learning_rate == float(best["optimizer.learning_rate"])
    assert found.config.train.optimizer.learning_rate == run["config"]["optimizer"]["learning_rate"]
    assert found.limits.iterations == 100
    assert structure(found.config.train) == structure(read_preset(preset).config.train)
    report = (out / "report.md").read_text()
    assert not (out / "importance.png").exists()
    assert f"`python experiments/sweep.py --preset {preset} --trials 3" in report
    assert f"| {best['trial']} | {format_number(float(best['score']))} |" in report
    assert "- versions: azjax " in report
    assert "optuna" in report
    assert f"trial {best['trial']}" in result.out
    assert f"Trial {best['trial']} has the highest score, " in result.out
    assert "Train the best: azjax train out/best.toml" in result.out


def assert_refused(result, *words):
    assert_one_line(result, 2, *words)
    assert result.out == ""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--trials", 0), ["trials=0: must be at least 1"]),
        (
            ("--trial-iterations", 9, "--trial-minutes", 1),
            ["trial_minutes and trial_iterations: give one of them"],
        ),
        (("--only", "search.value_scal"), ["; did you mean 'search.value_scale'?"]),
        (("--space", "none.toml"), ["none.toml cannot be read"]),
        (("--preset", "go_9"), ["too large to be solved", "--truth FILE"]),
        (("--objective", "rating", "--opponent", "mtcs"), ["no player 'mtcs'", "mcts"]),
        (("--storage", "postgresql://a:b@127.0.0.1:1/c"), ["cannot be opened", "a:***@"]),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing(sweep, tmp_path, arguments, words):
    before = snapshot(tmp_path)
    assert_refused(sweep(*arguments, "--out", "out"), *words)
    assert snapshot(tmp_path) == before
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "other"),
    [(("--trial-minutes", 0.004), "trial_minutes"), (("--space", "space.toml"), "space")],
)
def test_a_folder_of_another_sweep_is_left_unchanged(sweep, tmp_path, arguments, other):
    (tmp_path / "space.toml").write_text("[optimizer]\nlearning_rate = 1e-3\n")
    begun = sweep(*REAL, "--minutes", 1e-9)
    assert begun.code == 0, begun.err
    before = snapshot(tmp_path)
    assert_refused(sweep(*REAL, *arguments), "out holds a sweep with another", other)
    assert snapshot(tmp_path) == before


def test_a_sweep_goes_on_after_a_field_was_added(sweep, tmp_path):
    assert sweep(*REAL, "--minutes", 1e-9).code == 0
    path = tmp_path / "out" / "sweep.json"
    before = path.read_text()
    older = json.loads(before)
    del older["space"]["config"]["search"]["rescale_values"]
    path.write_text(json.dumps(older))
    result = sweep(*REAL, "--minutes", 1e-9)
    assert (result.code, result.err) == (0, "")
    assert path.read_text() == before


def test_a_truth_of_one_position_cannot_choose_a_trial(sweep, tmp_path):
    (tmp_path / "one.csv").write_text("moves,values\n,d d d d d d d d d\n")
    refused = sweep("--truth", "one.csv", "--out", "out")
    assert_refused(refused, "one.csv", "so at least two are needed")
    assert not (tmp_path / "out").exists()


def test_without_optuna_one_line_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "optuna", None)  # behaves as if it were not installed
    for name in [name for name in sys.modules if name.startswith("azjax.sweeps")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(SystemExit, match=r"^2$"):
        runpy.run_path(str(SCRIPT))
    [line] = capsys.readouterr().err.splitlines()
    assert re.fullmatch(r"azjax: error: .*optuna.*: pip install '\.\[experiments\]'", line)
