import json
import pathlib
import re

import jax
import pytest
from command_line import TINY, checkpoints, iterations, read_rows

from azjax.config.fields import with_fields
from azjax.config.limits import Limits
from azjax.config.preset_file import write_preset
from azjax.config.presets import get_preset

GLOSSARY = pathlib.Path(__file__).parents[2] / "experiments" / "manual" / "glossary.md"
OF_ROW_0 = {"iteration", "positions", "seconds"}  # besides the columns of evaluations


def documented_columns():
    """Returns the columns in the glossary: those of every iteration, of evaluations."""
    text = GLOSSARY.read_text().split("\nThese are the columns of `metrics.jsonl`.")[1]
    table = text.split("\n\n")[1].splitlines()[2:]  # below the header
    columns = {True: set(), False: set()}
    for line in table:
        _, names, meaning, _ = line.split("|")
        columns["at evaluations" in meaning] |= set(re.findall(r"`(\w+)`", names))
    return columns[False], columns[True]


def test_a_run_is_described_by_its_configuration_versions_seed_and_devices(trained):
    run = json.loads((trained / "run.json").read_text())
    assert (run["preset"], run["seed"], run["devices"]) == ("tic_tac_toe", 0, 1)
    assert run["config"]["network"]["channels"] == 16
    assert run["versions"]["jax"] == jax.__version__


def test_the_columns_are_those_of_the_manual(trained):
    of_iterations, of_evaluations = documented_columns()
    assert len(of_iterations) > 20
    assert len(of_evaluations) > 5
    for row in read_rows(trained):
        expected = OF_ROW_0 if row["iteration"] == 0 else of_iterations
        is_evaluation = row["iteration"] in (0, 2, 4, 6)
        assert set(row) == expected | (of_evaluations if is_evaluation else set())


def test_positions_and_rates_are_those_of_the_sizes(trained):
    for row in read_rows(trained)[1:]:
        assert row["positions"] == 8 * 4 * row["iteration"]
        assert row["replay_ratio"] == 8 / 32
        assert row["simulations_per_move"] == 4
        seconds = row["iteration_seconds"]  # rounded, like the rates
        made, finished = row["simulations_per_second"], row["games_per_second"]
        assert made * seconds == pytest.approx(8 * 4 * 4, rel=0.1)
        assert finished * seconds == pytest.approx(row["games_finished"], rel=0.1)
    assert any(row["games_finished"] for row in read_rows(trained)[1:])


def test_rows_of_metrics_go_to_standard_output_as_json_and_to_wandb(train, tmp_path, monkeypatch):
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_SILENT", "true")
    result = train(tmp_path / "run", "--iterations", 2, "--log-json", "--wandb", "tests")
    rows = [json.loads(line) for line in result.out.splitlines()]
    assert result.code == 0
    assert [row["iteration"] for row in rows] == [0, 1, 2]
    assert "ended because" in result.err
    assert len(list((tmp_path / "run" / "wandb").glob("offline-run-*"))) == 1


def test_minutes_end_a_run_after_one_iteration_at_the_least(train, tmp_path):
    result = train(tmp_path / "run", "--minutes", "1e-9")
    assert result.code == 0
    assert iterations(tmp_path / "run") == [0, 1]
    assert checkpoints(tmp_path / "run") == [1]


def test_a_perfect_agent_does_not_stop_a_run_that_is_to_continue(train, tmp_path, perfect):
    result = train(tmp_path / "run", "--iterations", "3", "--no-stop-when-perfect")
    assert "the run has reached its limit" in result.out
    assert iterations(tmp_path / "run") == [0, 1, 2, 3]


@pytest.mark.slow
def test_a_game_too_large_to_be_solved_is_measured_on_the_file_that_comes_with_azjax(
    train, tmp_path
):
    folder = tmp_path / "run"
    result = train(folder, "--iterations", "2", preset="connect_four")
    assert result.code == 0
    assert "of 1,000 (" in result.out
    assert "exploitability" not in result.out
    assert "accuracy_search" not in read_rows(folder)[1]
    for row in (read_rows(folder)[0], read_rows(folder)[2]):
        assert 0 < row["accuracy_network"] < 1
        assert 0 < row["accuracy_search"] < 1


def test_a_run_of_a_game_without_solved_positions_reports_no_accuracy(train, tmp_path, monkeypatch):
    monkeypatch.setattr("azjax.agents.train.find_positions", lambda game: None)
    monkeypatch.setattr("azjax.cli.train.report.is_solvable", lambda game: False)
    folder = tmp_path / "run"
    result = train(folder, "--iterations", "2")
    assert result.code == 0
    assert "accuracy_search" not in read_rows(folder)[-1]
    assert iterations(folder) == [1, 2]
    assert "--opponent random" in result.out


def test_a_preset_may_come_from_a_file(azjax, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    preset, folder = get_preset("tic_tac_toe"), tmp_path / "runs" / "mine"
    fields = {"optimizer.learning_rate": 2e-3, "stop_when_perfect": False}
    preset = preset._replace(config=with_fields(preset.config, fields), limits=Limits(iterations=2))
    write_preset(tmp_path / "mine.toml", preset)
    assert azjax("train", "mine.toml", *TINY).code == 0
    run = json.loads((folder / "run.json").read_text())
    assert run["config"]["optimizer"]["learning_rate"] == 2e-3
    assert azjax("train", "mine.toml", "--resume", "--iterations", "3").code == 0
    assert iterations(folder) == [0, 1, 2, 3]
