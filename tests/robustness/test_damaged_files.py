"""Damages each kind of file at random: it is read, recovered, or refused in one line.

`AZJAX_DAMAGES=2000 python -m pytest tests/robustness` is a campaign of 2,000 damages in all, 50
without the variable. `AZJAX_DAMAGES_FROM=7000` draws others. A failure names the kind of file and
the number of the damage, which alone determines it.
"""

import contextlib
import math
import os
import pathlib
import random
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from damages import damage
from example_files import make_record, make_study, make_sweep

from azjax import games
from azjax.agents.agent import load_agent
from azjax.config.preset_file import read_preset
from azjax.config.presets import get_preset
from azjax.evaluation.truth.truth_files import read_positions
from azjax.runs.storage.answers import read_answers
from azjax.runs.storage.budget_shares import BudgetShares
from azjax.runs.storage.metrics_log import read_metrics
from azjax.runs.storage.network_history import NetworkHistory
from azjax.runs.storage.restore import restore
from azjax.runs.storage.run_folders import open_run
from azjax.studies.study_directory import open_study_directory
from azjax.support.errors import InputError
from azjax.support.provenance.session_log import read_sessions
from azjax.sweeps.search_space_file import make_space
from azjax.sweeps.sweep import check_folder, recorded_trial_limits
from azjax.training import make_game_and_network

NUM_DAMAGES = int(os.environ.get("AZJAX_DAMAGES", "50"))
FIRST_DAMAGE = int(os.environ.get("AZJAX_DAMAGES_FROM", "0"))
LONGEST_SECONDS = 30


class Kind(NamedTuple):
    """A kind of file."""

    pattern: str  # of the paths of its files
    read: Callable[[pathlib.Path], Any]  # given the folder
    refusal: type[Exception] = InputError


def read_run(folder):
    restore(open_run(folder / "run"))
    load_agent(folder / "run")


def read_network(folder):
    run = open_run(folder / "run")
    _, network = make_game_and_network(run.config.train)
    with contextlib.closing(NetworkHistory(run.history)) as history:
        return history.restore(network, 1)


def read_shares(folder):
    return BudgetShares(folder / "run" / "budget_shares.txt", 2).close()


def read_sweep(folder):
    recorded_trial_limits(folder / "sweep")
    check_folder(folder / "sweep", make_sweep())


KINDS = {
    "agent": Kind("agent.npz", lambda folder: load_agent(folder / "agent.npz")),
    "run": Kind("run/run.json", read_run),
    "metrics": Kind(
        "run/metrics.jsonl", lambda folder: read_metrics(folder / "run" / "metrics.jsonl")
    ),
    "shares": Kind("run/budget_shares.txt", read_shares),
    "checkpoint": Kind("run/checkpoints/2/**/*", lambda folder: restore(open_run(folder / "run"))),
    "network": Kind("run/history/1/**/*", read_network),
    "preset": Kind("preset.toml", lambda folder: read_preset(folder / "preset.toml"), ValueError),
    "space": Kind(
        "space.toml",
        lambda folder: make_space(get_preset("tic_tac_toe").config, folder / "space.toml"),
        ValueError,
    ),
    "truth": Kind(
        "truth.csv",
        lambda folder: read_positions(games.make("tic_tac_toe"), folder / "truth.csv"),
        ValueError,
    ),
    "answers": Kind(
        "run/answers.jsonl", lambda folder: read_answers(folder / "run" / "answers.jsonl")
    ),
    "tournament": Kind("tournament/*", lambda folder: make_record(folder).check()),
    "sweep": Kind("sweep/sweep.json", read_sweep),
    "study": Kind(
        "study/study.json", lambda folder: open_study_directory(make_study(folder), extend=True)
    ),
    "sessions": Kind("study/sessions.jsonl", lambda folder: read_sessions(folder / "study")),
}


def fault_of_reading(kind: Kind, folder: pathlib.Path) -> str | None:
    """Returns what is wrong with how a damaged file is read or refused, or None."""
    began = time.monotonic()
    try:
        kind.read(folder)
    except kind.refusal as error:
        if len(str(error).splitlines()) != 1:
            return f"refused by {str(error)!r:.500}"
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return f"{type(error).__name__}: {error!s:.500}"
    seconds = time.monotonic() - began
    return f"{seconds:.0f} seconds" if seconds > LONGEST_SECONDS else None


@contextlib.contextmanager
def damaged(rng: random.Random, path: pathlib.Path):
    """Damages a file while the context lasts; yields the name of the damage."""
    content = path.read_bytes()
    name, changed = damage(rng, content)
    try:
        path.unlink() if changed is None else path.write_bytes(changed)
        yield name
    finally:
        path.write_bytes(content)


@pytest.mark.parametrize("name", KINDS)
def test_a_whole_file_is_read(name, files):
    KINDS[name].read(files)


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_a_damaged_file_is_read_or_recovered_or_refused_in_one_line(name, files, capfd):
    kind, faults = KINDS[name], []
    for number in range(FIRST_DAMAGE, FIRST_DAMAGE + math.ceil(NUM_DAMAGES / len(KINDS))):
        rng = random.Random(f"{name} {number}")
        path = rng.choice(sorted(path for path in files.glob(kind.pattern) if path.is_file()))
        with damaged(rng, path) as damage_name:
            capfd.readouterr()
            fault = fault_of_reading(kind, files) or capfd.readouterr().err
        if fault:
            faults.append(f"{number} ({damage_name} of {path.relative_to(files)}): {fault}")
    assert not faults, "\n".join([f"{len(faults)} faults", *faults[:20]])
