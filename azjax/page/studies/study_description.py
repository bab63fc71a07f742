"""The description of a study or a sweep, from the file in its folder."""

import pathlib
from typing import Any, NamedTuple

from azjax.config.limits import Limits
from azjax.config.stored_values import parse_value
from azjax.page.safe_paths import path_below
from azjax.page.studies.study_folders import StudyFolder
from azjax.support.errors import InputError, reading_errors
from azjax.support.files.reading import read_json
from azjax.support.plurals import count
from azjax.support.validation import check_size

_MOST_TRIALS = 500
_MOST_RUNS = 100_000  # of a study: far above any use


class StudyDescription(NamedTuple):
    """The runs of a study or a sweep, and what is said of it."""

    title: str
    limits: Limits  # of each run
    runs: dict[str, list[pathlib.Path]]  # by cell or trial; a run need not have begun


def read_study_description(study: StudyFolder) -> StudyDescription:
    """Returns the description of a study or a sweep.

    Raises:
      InputError: Its file is damaged, or names folders elsewhere.
    """
    with reading_errors(study.file):
        saved = read_json(study.file)
        read = _read_study if study.kind == "study" else _read_sweep
        return read(study.path, saved)


def describe_study(study: StudyFolder) -> str:
    """Returns a study or a sweep in one line, or what is wrong with it."""
    try:
        return read_study_description(study).title
    except InputError as error:
        return str(error)


def _read_study(path: pathlib.Path, saved: dict[str, Any]) -> StudyDescription:
    seeds = parse_value(int, saved["seeds"], "seeds")
    cells = parse_value(dict, saved["cells"], "cells")
    check_size("seeds times cells", seeds * len(cells), 1, _MOST_RUNS)
    folders = {cell: path_below(path / "runs", cell) for cell in cells}
    runs = {
        cell: [folder / f"seed={seed}" for seed in range(seeds)] for cell, folder in folders.items()
    }
    limits = parse_value(Limits, saved["limits"], "limits")
    size = f"{count(len(runs), 'cell')}, {count(seeds, 'seed')} each, {limits} a run"
    return StudyDescription(f"{saved['study']} of {saved['preset']}: {size}", limits, runs)


def _read_sweep(path: pathlib.Path, saved: dict[str, Any]) -> StudyDescription:
    lengths = {unit: saved.get(f"trial_{unit}") for unit in ("minutes", "iterations")}
    limits = parse_value(Limits, lengths, "trial")
    trials = sorted(_trials(path), key=lambda run: (len(run.name), run.name))
    runs = {run.name: [run] for run in trials[-_MOST_TRIALS:]}
    size = f"{count(len(trials), 'trial')} begun, {limits} a trial"
    title = f"sweep of {saved['preset']} by {saved['objective']}: {size}"
    return StudyDescription(title, limits, runs)


def _trials(path: pathlib.Path) -> list[pathlib.Path]:
    folder = path / "trials"
    if not folder.is_dir():
        return []
    return [run for run in folder.iterdir() if run.is_dir() and not run.is_symlink()]
