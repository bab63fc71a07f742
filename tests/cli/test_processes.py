"""Tests that need a process: real signals, exit codes, JAX's settings."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import pytest
from command_line import TINY, checkpoints, iterations, make_untrained_run, wait_for

from azjax.support.provenance.commit import describe_package

# Checkpoints at every evaluation instead of every so many seconds, no solved positions, and the
# precision of the other tests.
PROGRAM = """
import azjax.networks.precision
import azjax.cli.train.command
import azjax.runs.checkpoint_schedule
azjax.networks.precision._multiplies_bfloat16 = lambda: False
azjax.cli.train.command.find_positions = lambda game: None
azjax.runs.checkpoint_schedule._SECONDS_AFTER_EVALUATIONS = -1.0
from azjax.cli import main
main()
"""

STOPPING = "stopping as soon as this step is done, or in 8 seconds without it"


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


@pytest.mark.parametrize(
    "moment",
    [pytest.param("before a checkpoint", marks=pytest.mark.slow), "after a checkpoint"],
)
def test_a_process_killed_and_resumed_leaves_the_uninterrupted_run(
    train, resume, environment, fingerprint, tmp_path, monkeypatch, moment
):
    # As in PROGRAM.
    monkeypatch.setattr("azjax.cli.train.command.find_positions", lambda game: None)
    folder, whole = tmp_path / "run", tmp_path / "whole"
    arguments = ("train", "tic_tac_toe", "--out", folder, "--iterations", "100000", *TINY)
    process = start(environment, *arguments)
    if moment == "before a checkpoint":
        wait_for(process, (folder / "run.json").exists)
    else:
        wait_for(process, lambda: any((folder / "checkpoints").glob("[0-9]*/commit_success.txt")))
    end(process, signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    done = iterations(folder)[-1] if (folder / "metrics.jsonl").exists() else 0
    assert resume(folder, "--iterations", done + 2).code == 0
    assert train(whole, "--budget-shares", folder).code == 0
    assert fingerprint(folder) == fingerprint(whole)
    assert iterations(folder) == iterations(whole)


@pytest.mark.slow
def test_of_two_processes_that_resume_one_run_the_second_is_refused(
    train, environment, fingerprint, tmp_path, monkeypatch
):
    monkeypatch.setattr("azjax.cli.train.command.find_positions", lambda game: None)  # as PROGRAM
    folder, whole = tmp_path / "run", tmp_path / "whole"
    train(folder, "--iterations", "1")
    arguments = ("train", "tic_tac_toe", "--resume", "--out", folder, "--iterations", "100000")
    first = start(environment, *arguments)
    wait_for(first, lambda: iterations(folder)[-1] > 1)
    second = start(environment, *arguments)
    out, err = second.communicate(timeout=240)
    assert (second.returncode, out, len(err.splitlines())) == (2, "", 1)
    assert f"{folder} is in use by process {first.pid} on " in err
    end(first, signal.SIGTERM)
    assert first.returncode == 130
    assert iterations(folder) == [*range(1, iterations(folder)[-1] + 1)]
    assert train(whole, "--budget-shares", folder).code == 0
    assert fingerprint(folder) == fingerprint(whole)


def test_a_terminated_process_saves_says_how_to_continue_and_shares_what_it_compiled(
    environment, tmp_path
):
    folder = tmp_path / "run"
    arguments = ("train", "tic_tac_toe", "--out", folder, "--iterations", "100000", *TINY)
    process = start(environment, *arguments)
    wait_for(process, lambda: (folder / "metrics.jsonl").exists() and iterations(folder))
    out, err = end(process, signal.SIGTERM)
    assert process.returncode == 130
    assert err == f"azjax: {STOPPING}\n"
    last = iterations(folder)[-1]
    assert checkpoints(folder)[-1] == last
    assert f"Stopped and saved at iteration {last}." in out
    assert f"azjax train tic_tac_toe --resume --out {folder} --iterations 100000" in out
    assert any(pathlib.Path(environment["HOME"], ".cache", "azjax", "compiled").iterdir())


@pytest.mark.slow
def test_a_process_terminated_within_a_long_iteration_ends_and_names_its_checkpoint(
    azjax, environment, tmp_path
):
    folder = tmp_path / "run"
    sizes = {"num_games": 512, "num_moves": 256, "replay_moves": 256}  # a minute
    make_untrained_run(folder, "tic_tac_toe", **sizes)
    before = azjax("fingerprint", folder)
    arguments = ("train", "tic_tac_toe", "--resume", "--out", folder, "--iterations", "5")
    process = start(environment, *arguments)
    shares = folder / "budget_shares.txt"
    wait_for(process, lambda: shares.exists() and shares.read_text())  # the iteration has begun
    time.sleep(1)
    began = time.monotonic()
    _, err = end(process, signal.SIGTERM)
    assert time.monotonic() - began < 10
    assert process.returncode == 130
    again = f"azjax train tic_tac_toe --resume --out {folder} --iterations 5"
    saved = f"{folder}: the last good checkpoint is 0; continue with: {again}"
    assert err == f"azjax: {STOPPING}\nazjax: stopped within a step; {saved}\n"
    assert checkpoints(folder) == [0]
    assert azjax("fingerprint", folder) == before
    again = start(environment, *arguments)
    assert "compiling\n" in again.stdout
    assert again.stdout.readline() == "resuming from iteration 0\n"
    end(again, signal.SIGKILL)


@pytest.mark.slow
def test_a_process_terminated_while_it_compiles_ends(environment, tmp_path):
    folder = tmp_path / "run"
    program = f"import azjax.support.signals\nazjax.support.signals._GRACE_SECONDS = 0.5\n{PROGRAM}"
    variables = environment | {"JAX_ENABLE_COMPILATION_CACHE": "false"}
    arguments = ("train", "tic_tac_toe", "--out", folder, "--iterations", "5", *TINY)
    process = start(variables, *arguments, program=program)
    assert process.stdout.readline() == f"{describe_package()}\n"
    assert process.stdout.readline() == "compiling\n"
    time.sleep(0.5)
    _, err = end(process, signal.SIGTERM)
    assert process.returncode == 130
    last = err.splitlines()[-1]
    saved = f"azjax: stopped within a step; {folder}: there is no checkpoint yet; continue with: "
    assert last == f"{saved}azjax train tic_tac_toe --resume --out {folder} --iterations 5"


@pytest.mark.slow
def test_a_file_too_large_for_the_system_ends_the_process_in_one_line(azjax, environment, tmp_path):
    folder = tmp_path / "run"
    make_untrained_run(folder, "tic_tac_toe")
    before = azjax("fingerprint", folder)
    limit = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (2**13, 2**13))\n"
    variables = environment | {"JAX_ENABLE_COMPILATION_CACHE": "false"}
    arguments = ("train", "tic_tac_toe", "--resume", "--out", folder, "--iterations", "1")
    process = start(variables, *arguments, program=limit + PROGRAM)
    _, err = process.communicate(timeout=240)
    assert (process.returncode, len(err.splitlines())) == (1, 1), err
    what = f"{folder / 'checkpoints' / '1'} cannot be written: File too large"
    assert err == f"azjax: error: {what}; the last good checkpoint is 0\n"
    assert azjax("fingerprint", folder) == before


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
def test_a_mistake_ends_the_process_with_its_code_and_one_line(environment):
    process = start(environment, "fingerprint", "none")
    out, err = process.communicate(timeout=240)
    assert (process.returncode, out) == (2, "")
    assert len(err.splitlines()) == 1


@pytest.mark.slow
def test_a_damaged_checkpoint_is_reported_in_one_line(environment, trained, tmp_path):
    folder = shutil.copytree(trained, tmp_path / "run")
    for path in (folder / "checkpoints" / "6" / "state").rglob("d/*"):
        path.write_bytes(path.read_bytes()[:100])
    process = start(environment, "fingerprint", folder)
    out, err = process.communicate(timeout=240)
    assert (process.returncode, len(out.split())) == (0, 1)
    assert len(err.splitlines()) == 1
    assert err.startswith(f"azjax: {folder}: checkpoint 6 is damaged")


@pytest.mark.slow
def test_an_output_on_a_full_disk_ends_the_process_in_one_line(environment):
    command = [sys.executable, "-c", PROGRAM, "--version"]
    with pathlib.Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            command, env=environment, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert ended.returncode == 1
    assert ended.stderr == "azjax: error: [Errno 28] No space left on device\n"


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [("presets",), ("train", "--help"), ("--version",)])
def test_a_closed_output_ends_the_process_without_a_message(environment, arguments):
    process = start(environment, *arguments)
    process.stdout.close()
    process.wait(timeout=240)
    with process.stderr:
        assert (process.returncode, process.stderr.read()) == (1, "")


@pytest.mark.slow
def test_a_tournament_killed_and_started_again_ends_as_one_that_was_not(
    azjax, environment, tmp_path
):
    def arguments(name):
        players = ("tactical", "minimax", "--game", "tic_tac_toe")
        return "tournament", *players, "--games", "200", "--out", tmp_path / name

    matches = tmp_path / "killed" / "matches.jsonl"
    process = start(environment, *arguments("killed"))
    wait_for(process, lambda: matches.exists() and matches.read_text().endswith("\n"))
    end(process, signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert len(matches.read_text().splitlines()) < 3
    continued, whole = (azjax(*arguments(name)) for name in ("killed", "whole"))
    assert continued.code == whole.code == 0
    assert matches.read_text() == (tmp_path / "whole" / "matches.jsonl").read_text()
    tables = [result.out[result.out.index("ratings") :] for result in (continued, whole)]
    assert tables[0] == tables[1].replace(str(tmp_path / "whole"), str(tmp_path / "killed"))
