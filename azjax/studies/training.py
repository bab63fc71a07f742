"""Trains a study: every cell's seeds as one population, and nothing twice."""

import dataclasses
from typing import NamedTuple

import jax
from rich.console import Console

from azjax.evaluation import SolvedPositions
from azjax.runs.metrics_log import read_metrics
from azjax.runs.population import train_population
from azjax.runs.progress import TrainingProgress
from azjax.runs.run_directory import RunDirectory, create_run, is_run, open_run
from azjax.runs.session import Outcome
from azjax.studies.evaluation_interval import evaluation_interval
from azjax.studies.study import Cell, Study
from azjax.support.errors import RunError


class Failure(NamedTuple):
    """A run that could not go on."""

    text: str
    was_looked_at: bool


def train_study(study: Study, console: Console) -> list[str]:
    """Trains every run of a study to its limits; those that have reached them are left alone.

    A run that fails does not keep the others from training: its results are those of its last look.

    Returns:
      What is to be told of the runs that failed.

    Raises:
      KeyboardInterrupt: Somebody asked for a stop; every run is saved.
      RunError: A run failed before anybody looked at it.
    """
    failures: list[Failure] = []
    for number, cell in enumerate(study.cells, start=1):
        runs = _make_runs(study, cell)
        unfinished = [run for run in runs if not _is_over(run)]
        if unfinished:
            console.print(f"{cell.name}: {number} of {len(study.cells)}", soft_wrap=True)
            failures += _train(unfinished, study.positions, console)
    for failure in failures:
        if not failure.was_looked_at:
            raise RunError(f"{failure.text}; it has no results, and the study no report")
    return [failure.text for failure in failures]


def _make_runs(study: Study, cell: Cell) -> list[RunDirectory]:
    """Returns all runs of a cell, those made that there are not."""
    paths = [study.run_path(cell.name, seed) for seed in study.seeds]
    there = [open_run(path) for path in paths if is_run(path)]
    if len(there) == len(paths):
        return there
    num_devices = cell.config.train.most_devices(len(jax.devices()))
    evaluations = (
        there[0].config.evaluate_every  # the cell's other runs are to be looked at as this one is
        if there
        else study.evaluate_every or evaluation_interval(study, cell, num_devices)
    )
    config = dataclasses.replace(cell.config, evaluate_every=evaluations)
    return [
        open_run(path)
        if is_run(path)
        else create_run(path, study.preset, config, seed, num_devices, study.limits)
        for seed, path in enumerate(paths)
    ]


def _is_over(run: RunDirectory) -> bool:
    """Tells whether a run has reached its limits; its last network was kept before its last row."""
    rows = read_metrics(run.metrics)
    return bool(rows) and run.limits.share_done(rows[-1]["iteration"], rows[-1]["seconds"]) >= 1


def _train(runs: list[RunDirectory], positions: SolvedPositions, console: Console) -> list[Failure]:
    progress, failures = TrainingProgress(console, names_runs=True), []

    def note_failure(run: RunDirectory, outcome: Outcome) -> None:
        if outcome.error is not None:
            was_looked_at = any("accuracy_search" in row for row in outcome.rows)
            failures.append(Failure(f"{run.path}: {outcome.error}", was_looked_at))

    if train_population(iter(runs), len(runs), lambda: positions, progress, on_end=note_failure):
        raise KeyboardInterrupt
    return failures
