"""Trains a study: the seeds of each cell as one population."""

import dataclasses
import pathlib
from typing import NamedTuple

import jax
from rich.console import Console

from azjax.runs.endings import why_ended
from azjax.runs.population import train_population
from azjax.runs.reporting.progress import TrainingProgress
from azjax.runs.session import Outcome
from azjax.runs.storage.metrics_log import read_metrics
from azjax.runs.storage.run_directory import RunDirectory
from azjax.runs.storage.run_folders import create_run, is_run, open_run, owned_runs
from azjax.studies.evaluation_interval import evaluation_interval
from azjax.studies.study import COMMON_SEARCH, Cell, Study
from azjax.support.errors import InputError, RunError


class Failure(NamedTuple):
    """A run that failed."""

    text: str
    was_evaluated: bool


def train_study(study: Study, console: Console) -> list[str]:
    """Trains every run of a study to its limits; skips runs that have reached them.

    If a run fails, the others continue, and its last evaluation is its result.

    Returns:
      A line for each run that failed.

    Raises:
      InputError: Another process is training one of the runs.
      KeyboardInterrupt: A signal asked to stop; every run is saved.
      RunError: A run failed before its first evaluation.
    """
    failures: list[Failure] = []
    for number, cell in enumerate(study.cells, start=1):
        runs = _make_runs(study, cell)
        unfinished = [run for run in runs if not _is_finished(run)]
        if unfinished:
            with owned_runs(unfinished) as runs:
                console.print(f"{cell.name}: cell {number} of {len(study.cells)}", soft_wrap=True)
                failures += _train(study, runs, console)
    for failure in failures:
        if not failure.was_evaluated:
            raise RunError(f"{failure.text}; it has no results, and the study no report")
    return [failure.text for failure in failures]


def _make_runs(study: Study, cell: Cell) -> list[RunDirectory]:
    """Returns all runs of a cell with the study's limits; creates the missing ones."""
    paths = [study.run_path(cell.name, seed) for seed in study.seeds]
    existing = [_open_run(study, path) for path in paths if is_run(path)]
    if len(existing) == len(paths):
        return existing
    num_devices = cell.config.train.most_devices(len(jax.devices()))
    interval = (
        existing[0].config.evaluate_every  # all runs of a cell have the same interval
        if existing
        else evaluation_interval(study, cell, num_devices)
    )
    config = dataclasses.replace(cell.config, evaluate_every=interval)
    return [
        _open_run(study, path)
        if is_run(path)
        else create_run(
            RunDirectory(
                path, study.preset, config, seed, num_devices, study.limits, keep_all_networks=True
            )
        )
        for seed, path in enumerate(paths)
    ]


def _open_run(study: Study, path: pathlib.Path) -> RunDirectory:
    """Returns an existing run; an extended study may have given it more time."""
    return dataclasses.replace(open_run(path), limits=study.limits)


def _is_finished(run: RunDirectory) -> bool:
    """Tells whether a run has ended; its last network is saved before its last row."""
    rows = read_metrics(run.metrics)
    return bool(rows) and why_ended(run, rows[-1]) is not None


def _train(study: Study, runs: list[RunDirectory], console: Console) -> list[Failure]:
    """Trains runs of one cell, with a slot for each seed of the cell.

    On a GPU an iteration's seconds depend on the number of slots, so runs that go on alone have as
    many as all seeds together had.
    """
    progress = TrainingProgress(console, names_runs=True)
    failures: list[Failure] = []

    def record_failure(run: RunDirectory, outcome: Outcome) -> None:
        if outcome.error is not None:
            failures.append(Failure(f"{run.path}: {outcome.error}", _was_evaluated(run, outcome)))

    if train_population(
        iter(runs), study.num_seeds, lambda: study.positions, progress, on_end=record_failure
    ):
        raise KeyboardInterrupt
    return failures


def _was_evaluated(run: RunDirectory, outcome: Outcome) -> bool:
    """Tells whether a run was evaluated after its first iteration, in this session or before."""
    try:
        rows = outcome.rows or read_metrics(run.metrics)  # none if the run could not go on
    except InputError:
        return False
    return any(row["iteration"] > 0 and COMMON_SEARCH in row for row in rows)
