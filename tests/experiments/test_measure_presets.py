"""The script that trains presets and measures their agents: its commands and its report."""

import importlib
import json
import pathlib

import pytest
from script_loading import load

from azjax.cli.accuracy import AccuracyOptions
from azjax.cli.evaluate import EvaluateOptions
from azjax.cli.train.options import TrainOptions
from azjax.config.flags import parse_flags
from azjax.config.limits import Limits
from azjax.config.presets import get_preset
from azjax.runs.storage.run_directory import RunDirectory
from azjax.runs.storage.run_folders import create_run

ROW = {"iteration": 25, "seconds": 90.0, "positions": 4096, "loss": 1.0}
ACCURACY = {
    **{"accuracy_network": 0.75, "accuracy_search": 0.875},
    **{"random_accuracy": 0.38, "choice_matters": 1.0},
}
MATCH = {"score": 0.75, "interval": [0.5, 0.875], "wins": 7, "draws": 1, "losses": 2}
MATCH["forfeits"] = {"player": 0, "opponent": 1}
SHARES = {"search": 0.986, "network": 0.965, "positions": 1000, "random": 0.38}
PERFECT = [
    "empty board: value kept in 99 of 100, 95% interval 94.6 to 99.8%\n",
    "openings of 2 random moves: value kept in 190 of 200, 95% interval 91.0 to 97.3%\n",
]


@pytest.fixture(scope="module")
def script():
    return load("measure_presets")


@pytest.fixture
def commands(script, monkeypatch):
    """Returns a list of the commands; none of them runs."""
    called = []

    def call(command):
        called.append(command)
        match command[2:3]:
            case ["train"] if "--resume" not in command:
                make_run(command[3], pathlib.Path(command[-1]))
            case ["accuracy"]:
                return [json.dumps(SHARES)]
            case ["evaluate"]:
                return [json.dumps(MATCH)]
        return ["agent to move, against perfect play\n", *PERFECT]

    monkeypatch.setattr(importlib.import_module("engineering.commands"), "call", call)
    monkeypatch.setattr(
        importlib.import_module("engineering.measurements"), "_is_installed", lambda name: True
    )
    return called


def make_run(preset, folder):
    """Makes a run whose only evaluation is its last row."""
    config, limits = get_preset(preset).config, Limits(1.0, None)
    run = create_run(RunDirectory(folder, preset, config, 0, 1, limits))
    accuracy = ACCURACY if config.train.game == "connect_four" else {}
    rows = [ROW, ROW | {"iteration": 50} | accuracy]
    run.metrics.write_text("".join(json.dumps(row) + "\n" for row in rows))


def kinds(commands):
    """Returns the commands by their first word, or by their script."""
    return [command[2] if command[0] == "-m" else command[0].split("/")[-1] for command in commands]


def test_its_commands_are_valid(script, commands, tmp_path):
    script.main(["--out", str(tmp_path), "--presets", "connect_four", "go_9_gpu", "--seed", "3"])
    assert kinds(commands) == [
        *("train", "export", *["evaluate"] * 4),  # of Go, which is trained for a shorter time
        *("train", "export", "accuracy", "accuracy", "perfect_play.py"),
    ]
    training = commands[6]
    base = TrainOptions(config=get_preset("connect_four").config)
    trained = parse_flags(TrainOptions, training[4:], "train", base)
    assert (trained.config, trained.seed, trained.minutes) == (base.config, 3, 15.0)
    for kind, command in zip(kinds(commands), commands, strict=True):
        options = {"accuracy": AccuracyOptions, "evaluate": EvaluateOptions}.get(kind)
        assert options is None or parse_flags(options, command[3:], "azjax").json
    parse_flags(load("perfect_play").Options, commands[-1][1:], "perfect_play.py")


def test_the_report_has_every_result_and_random_play(script, commands, tmp_path):
    script.main(["--out", str(tmp_path), "--presets", "connect_four", "gomoku_9_gpu"])
    report = (tmp_path / "report.md").read_text()
    match = "75.0% (50.0% to 87.5%): 7 wins, 1 draw, 2 losses, 1 win of them by an error"
    for who in ("512 simulations", "random play"):
        title = f"score against UCT with 10,000 random rollouts, {who}"
        assert f"| gomoku_9_gpu | 1.5 minutes, 4,096 positions | {title} | {match}" in report
    assert "98.6% (97.7% to 99.2%); the network alone 96.5% (95.2% to 97.5%), random" in report
    assert "| 1.5 | 4,096 | 75.00% | 87.50% |" in report


def test_it_goes_on_with_what_is_left(script, commands, tmp_path):
    flags = ["--out", str(tmp_path), "--presets", "connect_four_gpu", "quixo_gpu"]
    script.main(flags)
    commands.clear()
    script.main(flags)
    assert kinds(commands) == ["train", "export"] * 2  # no measurement
    assert [command[-1] for command in commands[::2]] == ["--resume"] * 2
