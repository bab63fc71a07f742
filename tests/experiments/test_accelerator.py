"""The script for a machine with an accelerator: its commands and its report."""

import json
import pathlib

import pytest
from script_loading import SCRIPTS, load

from azjax.benchmarks.options import BenchmarkOptions
from azjax.benchmarks.paired_benchmark import KEYS
from azjax.cli.train.options import TrainOptions
from azjax.config.flags import parse_flags
from azjax.config.limits import Limits
from azjax.config.presets import get_preset
from azjax.runs.storage.run_directory import RunDirectory
from azjax.runs.storage.run_folders import create_run
from azjax.support.errors import RunError
from azjax.support.files.ownership import owned
from azjax.support.provenance.commit import package_commit, short_commit

ROW = {"iteration": 25, "seconds": 90.0, "positions": 4096, "loss": 1.0}
ACCURACY = {
    **{"accuracy_network": 0.75, "accuracy_search": 0.875},
    **{"random_accuracy": 0.38, "choice_matters": 1.0},
}

RATIOS = {
    "bfloat16": {key: [2.0, 3.0, 7.0] for key in KEYS},
    "float32": {key: [1.0, 1.5, 2.0] for key in KEYS},
}


@pytest.fixture(scope="module")
def script():
    return load("accelerator")


@pytest.fixture
def commands(script, monkeypatch):
    """Returns a list of the commands; none of them runs."""
    called = []

    def call(command):
        called.append(command)
        if "train" in command and "--resume" not in command:
            config, limits = get_preset("connect_four").config, Limits(1.0, None)
            folder = pathlib.Path(command[-1])
            run = create_run(RunDirectory(folder, "connect_four", config, 0, 1, limits))
            rows = [ROW, ROW | {"iteration": 50} | ACCURACY]
            run.metrics.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return ["azjax against pgx\n", json.dumps({"peer_devices": 2, "ratios": RATIOS})]

    monkeypatch.setattr(script, "_call", call)
    return called


def test_the_report_has_every_figure_with_its_command(script, commands, tmp_path):
    folder = tmp_path / "results"
    script.main(["--out", str(folder), "--games", "64", "--minutes", "1.5"])
    report = (folder / "report.md").read_text()
    for key in KEYS:
        assert f"| {key} | 3.00 (2.00 to 7.00) | 1.50 (1.00 to 2.00) |" in report
    assert "| | bfloat16 | float32 |\n|---|---|---|\n" in report
    assert "Pgx's loop runs on 2 devices." in report
    assert f", commit {short_commit(package_commit())}.\n" in report
    assert report.count("| 1.5 | 4,096 | 75.00% | 87.50% |") == 1  # the only evaluation
    assert "For comparison: uniform random play has 38.0% on the same positions" in report
    _, training, export = commands
    assert f"python {' '.join(training)}" in report
    assert "--games 64 " in report
    assert json.loads((folder / "speed.json").read_text())["ratios"] == RATIOS
    assert export[-2:] == ["--out", str(folder / "connect_four.npz")]


def test_its_commands_are_valid(script, commands, tmp_path):
    script.main(["--out", str(tmp_path / "results"), "--games", "64", "--seed", "3"])
    timing, training, _ = commands
    timed = parse_flags(BenchmarkOptions, timing[1:], "benchmark.py")
    assert (timed.games, timed.channels, timed.blocks, timed.against) == (64, 128, 6, "pgx")
    base = TrainOptions(config=get_preset("connect_four_gpu").config)
    trained = parse_flags(TrainOptions, training[4:], "train", base)
    assert (trained.config, trained.seed) == (base.config, 3)


def test_finished_measurements_are_not_repeated(script, commands, tmp_path, capfd):
    flags = ["--out", str(tmp_path), "--games", "64"]
    script.main(flags)
    with pytest.raises(SystemExit) as stop:
        script.main(flags)
    assert stop.value.code == 2
    assert "report.md exists" in capfd.readouterr().err
    (tmp_path / "report.md").unlink()
    commands.clear()
    script.main(flags)
    training, _ = commands  # no benchmark
    assert training[-1] == "--resume"


def test_a_damaged_measurement_is_named_in_one_line(script, commands, tmp_path, capfd):
    (tmp_path / "speed.json").write_text('{"ratios": ')
    with pytest.raises(SystemExit) as stop:
        script.main(["--out", str(tmp_path)])
    assert stop.value.code == 2
    assert f"{tmp_path}/speed.json cannot be read: it is no JSON" in capfd.readouterr().err
    assert commands == []


def test_a_measurement_with_other_options_is_not_reported(script, commands, tmp_path, capfd):
    script.main(["--out", str(tmp_path), "--games", "64"])
    (tmp_path / "report.md").unlink()
    commands.clear()
    with pytest.raises(SystemExit) as stop:
        script.main(["--out", str(tmp_path), "--games", "128"])
    assert stop.value.code == 2
    err = capfd.readouterr().err
    assert f"{tmp_path}/speed.json was measured with other options (" in err
    assert "--games 64 " in err
    assert len(err.splitlines()) == 1
    assert commands == []


def test_commands_do_not_contain_the_path_of_the_repository(
    script, commands, tmp_path, monkeypatch
):
    monkeypatch.chdir(SCRIPTS.parent)
    script.main(["--out", str(tmp_path / "results")])
    timing, training, _ = commands
    assert timing[0] == "experiments/benchmark.py"
    assert training[training.index("--truth") + 1] == "connect_four"


def test_bad_sizes_are_reported_before_a_folder_is_created(script, commands, tmp_path, capfd):
    with pytest.raises(SystemExit) as stop:
        script.main(["--out", str(tmp_path / "results"), "--rounds", "0"])
    assert stop.value.code == 2
    assert "rounds=0" in capfd.readouterr().err
    assert not (tmp_path / "results").exists()


def test_a_folder_that_is_taken_is_refused_in_one_line(script, commands, tmp_path, capfd):
    (tmp_path / "file").touch()
    with owned(tmp_path / "results"):
        for name, words in (("results", "is in use by process"), ("file", "cannot be written")):
            with pytest.raises(SystemExit) as stop:
                script.main(["--out", str(tmp_path / name)])
            assert stop.value.code == 2
            err = capfd.readouterr().err
            assert f"{tmp_path / name} {words}" in err
            assert len(err.splitlines()) == 1
    assert commands == []


def test_a_failed_command_stops_the_script(script):
    assert script._call(["-c", "print(1)"]) == ["1\n"]
    with pytest.raises(RunError, match="ended with code 3"):
        script._call(["-c", "raise SystemExit(3)"])
