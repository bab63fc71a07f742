"""What faults.py interrupts: four small trainings; each is continued and compared.

As a script it is a worker of the study: python subjects.py FOLDER. Its runs have a fixed
number of iterations, where the scripts of studies count minutes, which no two runs have alike.
"""

import collections
import dataclasses
import hashlib
import json
import pathlib
import subprocess
import sys
from collections.abc import Callable

from rich.console import Console

from azjax.cli.process import exit_with_one_line, prepare_jax
from azjax.config.fields import with_fields
from azjax.config.preset_file import read_preset
from azjax.evaluation import find_positions
from azjax.games import make
from azjax.runs.storage.checkpoints import restore
from azjax.runs.storage.run_folders import open_run
from azjax.studies.run_study import run_study
from azjax.studies.study import Cell, Panel, Study
from azjax.support.errors import InputError, RunError
from azjax.support.files.tables import read_table

_HERE = pathlib.Path(__file__).parent
_PRESET = _HERE / "preset.toml"
_TRIALS = 4
_FINISHED = ("finished", "stopped early")  # states of trials that count
MOST_SECONDS = 600.0  # more than any of the commands takes
HAS_NOT_ENDED = f"it has not ended after {MOST_SECONDS:.0f} s"


@dataclasses.dataclass(frozen=True)
class Subject:
    """A training that is interrupted, by a function from its folder to each of these."""

    begin: Callable[[pathlib.Path], list[str]]  # the command that starts it
    go_on: Callable[[pathlib.Path], list[str]]  # the command that continues it
    result: Callable[[pathlib.Path], str]  # what is the same with and without a fault


def _train(*flags: str) -> Callable[[pathlib.Path], list[str]]:
    return lambda folder: [
        *(sys.executable, "-m", "azjax", "train", str(_PRESET), "--out", str(folder)),
        *flags,
    ]


def _resume(*flags: str) -> Callable[[pathlib.Path], list[str]]:
    """Returns the command that resumes, or that starts again where there is no run yet."""

    def command(folder: pathlib.Path) -> list[str]:
        has_run = any(folder.rglob("run.json"))
        return _train("--resume")(folder) if has_run else _train(*flags)(folder)

    return command


def _fingerprints(folder: pathlib.Path) -> str:
    runs = sorted(path.parent for path in folder.rglob("run.json"))
    return "\n".join(
        f"{run.relative_to(folder)} {restore(open_run(run)).fingerprint}" for run in runs
    )


def _study_result(folder: pathlib.Path) -> str:
    rows = read_table(folder / "final.csv")
    numbers = [{k: v for k, v in row.items() if "seconds" not in k} for row in rows]
    return f"{_fingerprints(folder)}\n{hashlib.sha256(json.dumps(numbers).encode()).hexdigest()}"


def _sweep(folder: pathlib.Path) -> list[str]:
    return [
        *(sys.executable, str(_HERE.parents[1] / "sweep.py")),
        *("--preset", str(_PRESET), "--out", str(folder)),
        *("--trials", str(_TRIALS), "--places", "2", "--trial-iterations", "10"),
    ]


def _sweep_result(folder: pathlib.Path) -> str:
    """Returns the first run's score, and how many count: later ones depend on the order.

    A trial that was lost is tried again under another number, in the same run.
    """
    finished = [row for row in read_table(folder / "trials.csv") if row["state"] in _FINISHED]
    first = next((row["score"] for row in finished if row["run"] == "trials/0"), None)
    return f"score {first}, {len({row['run'] for row in finished})} of {len(finished)} trials"


_SEEDS = ("--seeds", "2")
SUBJECTS = {
    "train": Subject(_train(), _resume(), _fingerprints),
    "population": Subject(_train(*_SEEDS), _resume(*_SEEDS), _fingerprints),
    "study": Subject(*2 * [lambda folder: [sys.executable, __file__, str(folder)]], _study_result),
    "sweep": Subject(_sweep, _sweep, _sweep_result),
}


class Finding(collections.Counter):
    """How many trials of a campaign there were, and how many of them have failed."""

    def note(self, problem: str | None, what: str) -> None:
        """Counts a trial, and prints what is wrong with it."""
        self["trials"] += 1
        if problem:
            self["failures"] += 1
            print(json.dumps({"failure": what, "problem": problem}), flush=True)


def run(command: list[str], folder: pathlib.Path | None = None) -> subprocess.CompletedProcess:
    """Runs a command to its end, in a folder or in this one."""
    return subprocess.run(
        command, capture_output=True, text=True, cwd=folder, timeout=MOST_SECONDS, check=False
    )


def result_without_fault(subject: Subject, folder: pathlib.Path) -> str:
    """Returns the result of a training that nothing interrupts; raises RunError if it fails."""
    ended = run(subject.begin(folder / "whole"))
    if ended.returncode:
        raise RunError(f"a training fails without a fault: {ended.stderr[-300:]}")
    return subject.result(folder / "whole")


def compare(subject: Subject, folder: pathlib.Path, expected: str) -> str | None:
    """Continues a training to its end; returns what is wrong."""
    try:
        again = run(subject.go_on(folder))
    except subprocess.TimeoutExpired:
        return HAS_NOT_ENDED
    if again.returncode:
        return f"status {again.returncode} when it is continued: {again.stderr[-300:]}"
    return compare_result(subject, folder, expected)


def compare_result(subject: Subject, folder: pathlib.Path, expected: str) -> str | None:
    """Returns what is wrong with the result of a training that has ended."""
    try:
        found = subject.result(folder)
    except InputError as error:  # a file is missing or damaged
        return f"no result: {error}"
    return None if found == expected else f"result {found!r}, not {expected!r}"


def check_one_line(
    ended: subprocess.CompletedProcess, statuses: tuple[int, ...] = (1,)
) -> str | None:
    """Returns what is wrong with a command that must fail in one line, with such a status."""
    lines = ended.stderr.strip().splitlines()
    if ended.returncode in statuses and len(lines) == 1 and lines[0].startswith("azjax: error: "):
        return None
    return f"status {ended.returncode}, {len(lines)} lines: {ended.stderr}"


def _make_study(folder: pathlib.Path) -> Study:
    preset = read_preset(_PRESET)
    base = preset.config
    rates = {"low": 0.001, "high": 0.01}
    cells = [
        Cell(name, {"rate": rate}, with_fields(base, {"optimizer.learning_rate": rate}))
        for name, rate in rates.items()
    ]
    return Study(
        name="faults",
        path=folder,
        preset=base.train.game,
        positions=find_positions(make(base.train.game)),
        cells=tuple(cells),
        panels=(Panel("rate", {name: name for name in rates}),),
        num_seeds=2,
        limits=preset.limits,
    )


if __name__ == "__main__":
    with exit_with_one_line():
        prepare_jax()
        run_study(_make_study(pathlib.Path(sys.argv[1])), Console())
