"""Two workers on a real PostgreSQL server, of which one is killed."""

import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile

import optuna
import pytest
from command_line import wait_for
from optuna.storages import RDBStorage
from optuna.trial import TrialState
from sweeping import SCRIPT, TINY

from azjax.support.files.ownership import find_owner
from azjax.sweeps.trials import is_first, run_number

pytestmark = pytest.mark.slow

_PROGRAMS = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))  # of Debian
_USER = "postgres"  # the server refuses to be root
PROGRAM = f"""
import runpy
import azjax.sweeps.storage as storage
storage.HEARTBEAT_SECONDS, storage.GRACE_SECONDS = 1, 3
runpy.run_path({str(SCRIPT)!r}, run_name="__main__")
"""


@pytest.fixture(scope="module")
def storage():
    """Returns the address of a server of its own, which listens at a socket in a folder alone."""
    pytest.importorskip("psycopg")
    if not _PROGRAMS:
        pytest.skip("needs PostgreSQL: apt-get install postgresql")
    as_root = os.getuid() == 0
    if as_root and _USER not in {entry.pw_name for entry in pwd.getpwall()}:
        pytest.skip(f"root needs a user {_USER} to run PostgreSQL")
    user = {"user": _USER} if as_root else {}
    folder = pathlib.Path(tempfile.mkdtemp())
    if as_root:
        shutil.chown(folder, _USER)
    data, log = folder / "data", folder / "log"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    initialize = [_PROGRAMS[-1] / "initdb", "-D", data, "-U", "sweeper", "--auth", "trust"]
    control = [_PROGRAMS[-1] / "pg_ctl", "-D", data, "-w"]
    options = f"-c listen_addresses='' -k {folder}"
    subprocess.run(initialize, check=True, cwd=folder, **user, **quiet)
    try:
        start = [*control, "-l", log, "-o", options, "start"]
        subprocess.run(start, check=True, cwd=folder, **user, **quiet)
        yield f"postgresql+psycopg://sweeper@/postgres?host={folder}"
    finally:
        stop = [*control, "-m", "immediate", "stop"]
        subprocess.run(stop, check=False, cwd=folder, **user, **quiet)
        shutil.rmtree(folder)


def _read_trials(url):
    """Returns the trials of the sweep `out`, and closes the connections that Optuna pools."""
    storage = RDBStorage(url)
    try:
        return optuna.load_study(study_name="out", storage=storage).get_trials()
    finally:
        storage.remove_session()
        storage.engine.dispose()


def test_the_trials_of_a_killed_worker_are_finished_once_by_the_other(storage, tmp_path):
    preset = tmp_path / "tiny.toml"
    preset.write_text(TINY.replace("evaluate_every = 10", "evaluate_every = 50"))
    options = (
        *("--preset", preset, "--storage", storage, "--out", "out", "--trials", "5"),
        *("--places", "2", "--minutes", "5", "--trial-minutes", "0.05"),
    )
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *options],
            cwd=tmp_path,
            env={**os.environ, "JAX_DISABLE_MOST_OPTIMIZATIONS": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    try:
        run = tmp_path / "out" / "trials" / "0"
        wait_for(workers[0], (run / "metrics.jsonl").exists)
        owner = find_owner(run)
        killed, other = sorted(workers, key=lambda worker: worker.pid != owner.pid)
        assert killed.pid == owner.pid
        killed.send_signal(signal.SIGKILL)
        printed, errors = other.communicate(timeout=280)
        assert (other.returncode, errors) == (0, ""), printed
    finally:
        for worker in workers:
            worker.kill()
            worker.communicate()
    trials = _read_trials(storage)
    finished = [
        trial for trial in trials if trial.state in (TrialState.COMPLETE, TrialState.PRUNED)
    ]
    assert len(finished) in (5, 6)  # both may have started the last one
    assert len({run_number(trial) for trial in finished}) == len(finished)
    first, *_ = trials
    assert first.state == TrialState.FAIL
    assert sum(is_first(trial) for trial in finished) == 1
    assert {trial.state for trial in trials} <= {
        *(TrialState.COMPLETE, TrialState.PRUNED, TrialState.FAIL)
    }
    assert (tmp_path / "out" / "best.toml").exists()
