"""The list of measurements for an accelerator."""

import importlib

import pytest
from script_loading import load

from azjax.config.flags import parse_flags
from azjax.support.errors import RunError


@pytest.fixture
def called(monkeypatch):
    """Returns a list of the commands that are called; none of them runs, and tests fail."""
    commands = []

    def call(command, **environment):
        commands.append(command)
        if "pytest" in command:
            raise RunError("ended with code 1")
        return ["done\n"]

    load("accelerator")
    monkeypatch.setattr(importlib.import_module("engineering.commands"), "call", call)
    return commands


def test_its_commands_are_valid(tmp_path):
    script = load("accelerator")
    options = {
        "measure_presets.py": load("measure_presets").Options,
        "benchmark.py": load("benchmark").BenchmarkOptions,
    }
    for item in script.items(tmp_path):
        path, *flags = item.command
        if path != "-m" and "pgx:chess" not in flags:  # which is slow to make
            name = path.split("/")[-1]
            assert parse_flags(options[name], flags, name) is not None


def test_it_goes_on_with_what_is_left_and_fits(called, tmp_path, capfd):
    script = load("accelerator")

    names = ["othello_gpu_10", "othello_gpu_25", "tests"]

    def run(*flags):
        called.clear()
        with pytest.raises(SystemExit) as stop:
            script.main(["--out", str(tmp_path), "--only", *names, *flags])
        assert stop.value.code == 1
        return capfd.readouterr()

    output = run("--minutes", "15")
    assert [command[4] for command in called] == ["10", "gpu"]
    assert "othello_gpu_25: is left, it takes about 29 minutes" in output.out
    assert "failed, the others are done: tests (ended with code 1)" in output.err
    run()
    assert [command[4] for command in called] == ["25", "gpu"]
