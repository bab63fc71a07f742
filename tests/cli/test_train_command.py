import dataclasses
import json
import pathlib
import re

import jax
import pytest
from command_line import TINY, assert_one_line, checkpoints, iterations, read_rows, snapshot

from azjax.config.limits import Limits
from azjax.config.preset_file import write_preset
from azjax.config.presets import get_preset
from azjax.support.provenance.commit import describe_package, package_commit, short_commit

MANUAL = pathlib.Path(__file__).parents[2] / "experiments" / "README.md"
OF_ROW_0 = {"iteration", "positions", "seconds"}  # besides the columns of evaluations


def documented_columns():
    """Returns the columns in the manual's table: those of every iteration, of evaluations."""
    text = MANUAL.read_text().split("\nThese are the columns of `metrics.jsonl`.")[1]
    table = text.split("\n\n")[1].splitlines()[2:]  # below the header
    columns = {True: set(), False: set()}
    for line in table:
        _, names, meaning, _ = line.split("|")
        columns["at evaluations" in meaning] |= set(re.findall(r"`(\w+)`", names))
    return columns[False], columns[True]


def test_a_run_is_described_by_its_configuration_versions_seed_and_devices(trained):
    run = json.loads((trained / "run.json").read_text())
    assert (run["preset"], run["seed"], run["devices"]) == ("tic_tac_toe", 0, 1)
    assert run["config"]["train"]["num_games"] == 8
    assert run["config"]["train"]["network"]["channels"] == 16
    assert (
        run["config"]["hparams"]["learning_rate"]
        == get_preset("tic_tac_toe").config.hparams.learning_rate
    )
    assert run["versions"]["jax"] == jax.__version__
    assert {"azjax", "python", "optax", "mctx", "flax"} <= set(run["versions"])


def test_metrics_have_a_row_for_each_iteration_in_order(trained):
    assert iterations(trained) == [0, 1, 2, 3, 4, 5, 6]


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


def test_the_row_before_the_first_iteration_has_the_accuracy_of_the_initial_network(trained):
    first = read_rows(trained)[0]
    assert (first["iteration"], first["positions"], first["seconds"]) == (0, 0, 0.0)
    assert (trained / "history" / "0").exists()


def test_time_only_grows(trained):
    seconds = [row["seconds"] for row in read_rows(trained)]
    assert seconds == sorted(seconds)


def test_accuracy_is_measured_every_so_many_iterations(trained):
    evaluations = [row["iteration"] for row in read_rows(trained) if "accuracy_search" in row]
    assert evaluations == [0, 2, 4, 6]
    assert all(
        0 < row["accuracy_network"] < 1
        for row in read_rows(trained)
        if row["iteration"] in evaluations
    )
    assert all(
        row["lines_lost"] > 0 for row in read_rows(trained) if row["iteration"] in evaluations
    )


def test_tensorboard_finds_events(trained):
    events = list((trained / "tensorboard").glob("events.out.tfevents.*"))
    assert len(events) == 1
    assert b"policy_loss" in events[0].read_bytes()


def test_the_curves_are_a_picture(trained):
    data = (trained / "curves.png").read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert data.endswith(b"IEND\xaeB`\x82")
    width, height = (int.from_bytes(data[at : at + 4], "big") for at in (16, 20))
    assert width > height > 200


def printed(result, name):
    """Returns what the table says in the row of a name."""
    [found] = re.findall(rf"│ {name} +│ (.*?) +│", result.out)
    return found


def test_it_closes_with_a_table_and_the_next_commands(train, tmp_path):
    result = train(tmp_path / "run", "--iterations", "3")
    assert result.code == 0
    assert result.err == ""
    for words in ("iterations", "simulations per second", "of 4,520", "lines lost, moving first"):
        assert words in result.out
    last = read_rows(tmp_path / "run")[-1]
    assert 0 < last["distinct_positions"] <= 1
    assert printed(result, "distinct positions") == f"{last['distinct_positions']:.1%}"
    assert printed(result, "replay ratio") == "0.25"
    assert result.out.startswith(f"{describe_package()}\ncompiling\n")
    assert short_commit(package_commit()) in result.out
    assert f"azjax play {tmp_path / 'run'}" in result.out
    assert f"azjax accuracy {tmp_path / 'run'} --simulations 2" in result.out


def test_without_out_the_run_goes_into_runs(azjax, train, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert azjax("train", "tic_tac_toe", "--iterations", "1", *TINY).code == 0
    assert iterations(pathlib.Path("runs/tic_tac_toe")) == [0, 1]


def test_an_empty_folder_is_used(train, tmp_path):
    assert train(tmp_path, "--iterations", "1").code == 0


def test_the_same_seed_makes_the_same_run_and_another_does_not(azjax, train, trained, tmp_path):
    def fingerprint(folder):
        return azjax("fingerprint", folder).out

    assert train(tmp_path / "again", "--iterations", "6").code == 0
    assert train(tmp_path / "other", "--iterations", "6", "--seed", "1").code == 0
    assert len(fingerprint(trained).strip()) == 64
    assert fingerprint(tmp_path / "again") == fingerprint(trained)
    assert fingerprint(tmp_path / "other") != fingerprint(trained)


def test_reading_a_run_does_not_change_it(azjax, trained):
    before = snapshot(trained)
    assert azjax("fingerprint", trained).code == 0
    assert azjax("fingerprint", trained).out == azjax("fingerprint", trained).out
    assert snapshot(trained) == before


def test_minutes_end_a_run_after_one_iteration_at_the_least(train, tmp_path):
    result = train(tmp_path / "run", "--minutes", "1e-9")
    assert result.code == 0
    assert iterations(tmp_path / "run") == [0, 1]
    assert checkpoints(tmp_path / "run") == [1]


@pytest.mark.slow
def test_the_newest_few_checkpoints_and_the_best_are_kept(train, tmp_path):
    folder = tmp_path / "run"
    assert train(folder, "--iterations", "12").code == 0
    evaluations = {
        row["iteration"]: row["accuracy_search"]
        for row in read_rows(folder)
        if row["iteration"] % 2 == 0
    }
    kept = checkpoints(folder)
    assert kept[-3:] == [8, 10, 12]
    assert max(evaluations[k] for k in kept) == max(evaluations.values())
    assert len(kept) <= 4


def test_a_perfect_agent_stops_the_run(train, tmp_path, perfect):
    result = train(tmp_path / "run", "--iterations", "6")
    assert result.code == 0
    assert "the agent is perfect" in result.out
    assert iterations(tmp_path / "run") == [0, 1, 2]
    assert checkpoints(tmp_path / "run") == [1, 2]


def test_a_perfect_agent_does_not_stop_a_run_that_is_to_continue(train, tmp_path, perfect):
    result = train(tmp_path / "run", "--iterations", "4", "--no-stop-when-perfect")
    assert "the run has reached its limit" in result.out
    assert iterations(tmp_path / "run") == [0, 1, 2, 3, 4]


@pytest.mark.slow
def test_a_game_too_large_to_be_solved_is_measured_on_the_file_that_comes_with_azjax(
    train, tmp_path
):
    folder = tmp_path / "run"
    result = train(folder, "--iterations", "2", preset="connect_four")
    assert result.code == 0
    assert "of 1,000 (" in result.out
    assert "exploitability" not in result.out
    assert f"azjax accuracy {folder} --simulations 2" in result.out
    assert "accuracy_search" not in read_rows(folder)[1]
    for row in (read_rows(folder)[0], read_rows(folder)[2]):
        assert 0 < row["accuracy_network"] < 1
        assert 0 < row["accuracy_search"] < 1


@pytest.mark.slow
def test_the_positions_may_be_a_file_that_comes_with_azjax(train, tmp_path):
    folder = tmp_path / "run"
    name = "connect_four_strong_play"
    result = train(folder, "--iterations", "2", "--truth", name, preset="connect_four")
    assert result.code == 0
    assert "of 945 (" in result.out
    assert f"azjax accuracy {folder} --truth {name} --simulations 2" in result.out


def test_a_run_of_a_game_without_solved_positions_reports_no_accuracy(
    train, azjax, tmp_path, monkeypatch
):
    monkeypatch.setattr("azjax.cli.train.command.find_positions", lambda game: None)
    monkeypatch.setattr("azjax.cli.train.hints.is_solvable", lambda game: False)
    folder = tmp_path / "run"
    result = train(folder, "--iterations", "2")
    assert result.code == 0
    assert "optimal" not in result.out
    assert "accuracy_search" not in read_rows(folder)[-1]
    assert iterations(folder) == [1, 2]
    assert "--opponent random" in result.out
    assert azjax("fingerprint", folder).code == 0


def test_a_loss_that_is_not_finite_stops_the_run_and_keeps_the_last_good_checkpoint(
    train, azjax, tmp_path
):
    folder = tmp_path / "run"
    result = train(
        folder,
        *("--iterations", "50", "--evaluate-every", "1"),
        *("--hparams.learning-rate", "1e30", "--hparams.max-gradient-norm", "1e30"),
        *("--hparams.warmup-share", "0"),
    )
    assert_one_line(result, 1, "not finite", "last good checkpoint", "learning-rate")
    assert len(iterations(folder)) < 50
    assert azjax("fingerprint", folder).code == 0


def test_a_preset_may_come_from_a_file(azjax, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    preset = get_preset("tic_tac_toe")
    hparams = preset.config.hparams._replace(learning_rate=2e-3)
    changed = dataclasses.replace(preset.config, hparams=hparams, stop_when_perfect=False)
    write_preset(
        tmp_path / "mine.toml", preset._replace(config=changed, limits=Limits(iterations=2))
    )
    assert azjax("train", "mine.toml", *TINY).code == 0
    run = json.loads(pathlib.Path("runs/mine/run.json").read_text())
    assert run["config"]["hparams"]["learning_rate"] == 2e-3
    assert iterations(pathlib.Path("runs/mine")) == [0, 1, 2]
    assert azjax("train", "mine.toml", "--resume", "--iterations", "3").code == 0
    assert iterations(pathlib.Path("runs/mine")) == [0, 1, 2, 3]


def test_a_preset_file_that_is_wrong_is_refused_in_one_line(azjax, tmp_path):
    file = tmp_path / "mine.toml"
    assert_one_line(azjax("train", file), 2, file, "No such file")
    file.write_text("iterations = 2\n[hparams]\nlearning_rat = 1e-3\n")
    assert_one_line(azjax("train", file), 2, file, "did you mean 'hparams.learning_rate'")
