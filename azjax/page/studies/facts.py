"""What a study or a sweep says of itself."""

import pathlib
from typing import Any, NamedTuple

from azjax.config.limits import Limits
from azjax.config.nested_dicts import parse_value
from azjax.page.studies.found import Found
from azjax.support.bounded_files import read_json
from azjax.support.errors import InputError, reading_errors
from azjax.support.plurals import count

_MOST_TRIALS = 500


class Facts(NamedTuple):
    """The runs of a study or a sweep, and what is said of it."""

    title: str
    limits: Limits  # of each run
    runs: dict[str, list[pathlib.Path]]  # by cell or trial; a run need not have begun


def read_facts(found: Found) -> Facts:
    """Returns the facts of a study or a sweep.

    Raises:
      InputError: Its file is damaged.
    """
    with reading_errors(found.file):
        saved = read_json(found.file)
        facts = _study_facts if found.kind == "study" else _sweep_facts
        return facts(found.path, saved)


def describe(found: Found) -> str:
    """Returns a study or a sweep in one line, or what is wrong with it."""
    try:
        return read_facts(found).title
    except InputError as error:
        return str(error)


def _study_facts(path: pathlib.Path, saved: dict[str, Any]) -> Facts:
    seeds = parse_value(int, saved["seeds"], "seeds")
    runs = {
        str(cell): [path / "runs" / str(cell) / f"seed={seed}" for seed in range(seeds)]
        for cell in saved["cells"]
    }
    limits = parse_value(Limits, saved["limits"], "limits")
    size = f"{count(len(runs), 'cell')}, {count(seeds, 'seed')} each, {limits} a run"
    return Facts(f"{saved['study']} of {saved['preset']}: {size}", limits, runs)


def _sweep_facts(path: pathlib.Path, saved: dict[str, Any]) -> Facts:
    lengths = {unit: saved.get(f"trial_{unit}") for unit in ("minutes", "iterations")}
    limits = parse_value(Limits, lengths, "trial")
    trials = sorted(_trials(path), key=lambda run: (len(run.name), run.name))
    runs = {run.name: [run] for run in trials[-_MOST_TRIALS:]}
    size = f"{count(len(trials), 'trial')} begun, {limits} a trial"
    title = f"sweep of {saved['preset']} by {saved['objective']}: {size}"
    return Facts(title, limits, runs)


def _trials(path: pathlib.Path) -> list[pathlib.Path]:
    folder = path / "trials"
    if not folder.is_dir():
        return []
    return [run for run in folder.iterdir() if run.is_dir() and not run.is_symlink()]
