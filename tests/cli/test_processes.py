"""Tests that need a process: real signals, exit codes, JAX's settings."""

import os
import signal
import subprocess
import sys

import pytest
from command_line import TINY, checkpoints, iterations, wait_for

# Checkpoints at every evaluation instead of every so many seconds, no solved positions, and the
# precision of the other tests.
PROGRAM = """
import azjax.networks.precision
import azjax.agents.train
import azjax.runs.storage.checkpoints
azjax.networks.precision._multiplies_bfloat16 = lambda: False
azjax.agents.train.find_positions = lambda game: None
azjax.runs.storage.checkpoints._SECONDS_AFTER_EVALUATIONS = -1.0
from azjax.cli import main
main()
"""

# The programs that this session has compiled.
COMPILED = {"JAX_COMPILATION_CACHE_DIR": os.environ["JAX_COMPILATION_CACHE_DIR"]}

STOPPING = "stopping as soon as this step is done"


@pytest.fixture(scope="session")
def environment(tmp_path_factory):
    """Returns the environment of a new user, with this process's level of optimization."""
    home = str(tmp_path_factory.mktemp("home"))
    variables = os.environ | {"HOME": home, "JAX_DISABLE_MOST_OPTIMIZATIONS": "1"}
    del variables["JAX_COMPILATION_CACHE_DIR"]  # the command chooses a folder below HOME
    variables.pop("PYTHONUNBUFFERED", None)
    return variables


@pytest.fixture
def fingerprint(azjax):
    return lambda folder: azjax("fingerprint", folder)


def start(environment, *arguments, program=PROGRAM):
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def end(process, signum):
    process.send_signal(signum)
    return process.communicate(timeout=240)


@pytest.mark.slow
def test_a_process_killed_and_resumed_leaves_the_uninterrupted_run(
    train, resume, environment, fingerprint, tmp_path, monkeypatch
):
    # As in PROGRAM.
    monkeypatch.setattr("azjax.agents.train.find_positions", lambda game: None)
    folder, whole = tmp_path / "run", tmp_path / "whole"
    arguments = ("train", "tic_tac_toe", "--out", folder, "--iterations", "100000", *TINY)
    process = start(environment | COMPILED, *arguments)
    wait_for(process, lambda: any((folder / "checkpoints").glob("[0-9]*/commit_success.txt")))
    end(process, signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert resume(folder, "--iterations", iterations(folder)[-1] + 2).code == 0
    assert train(whole, "--budget-shares", folder).code == 0
    assert fingerprint(folder) == fingerprint(whole)
    assert iterations(folder) == iterations(whole)


@pytest.mark.slow
def test_a_terminated_process_saves_and_says_how_to_continue(environment, tmp_path):
    folder = tmp_path / "run"
    arguments = ("train", "tic_tac_toe", "--out", folder, "--iterations", "100000", *TINY)
    process = start(environment | COMPILED, *arguments)
    wait_for(process, lambda: (folder / "metrics.jsonl").exists() and iterations(folder))
    out, err = end(process, signal.SIGTERM)
    assert process.returncode == 130
    assert err == f"azjax: {STOPPING}\n"
    last = iterations(folder)[-1]
    assert checkpoints(folder)[-1] == last
    assert f"Stopped and saved at iteration {last}." in out
    assert f"azjax train --resume --out {folder}" in out


@pytest.mark.slow
def test_the_command_uses_every_core_and_keeps_what_it_compiles(environment):
    program = """
import os, jax
from azjax.cli import main
from azjax.support.machine.processor import usable_cores
main()
assert jax.default_backend() != "cpu" or len(jax.devices()) == usable_cores()
assert jax.config.jax_compilation_cache_dir.startswith(os.environ["HOME"])
"""
    process = start(environment, "games", program=program)
    out, err = process.communicate(timeout=240)
    assert (process.returncode, err) == (0, "")
    assert "tic_tac_toe" in out


@pytest.mark.slow
def test_a_closed_output_ends_the_process_without_a_message(environment):
    process = start(environment, "train", "--help")
    process.stdout.close()
    process.wait(timeout=240)
    with process.stderr:
        assert (process.returncode, process.stderr.read()) == (1, "")
