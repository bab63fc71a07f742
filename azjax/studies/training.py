"""Trains a study, as one of any number of workers: each takes runs that no other one trains."""

import dataclasses
import pathlib
import statistics
import time
from collections.abc import Iterator

import jax
from rich.console import Console

from azjax.runs.evaluation.endings import why_ended
from azjax.runs.reporting.progress import TrainingProgress
from azjax.runs.resuming import were_checkpoints_deleted
from azjax.runs.session import Outcome
from azjax.runs.storage.checkpoints import last_checkpoint
from azjax.runs.storage.metrics_log import read_metrics
from azjax.runs.storage.run_directory import RunDirectory
from azjax.runs.storage.run_folders import create_run, is_run, open_run
from azjax.runs.train import train_population
from azjax.studies.iteration_seconds import NUM_ITERATIONS, runs_at_once, timed_slots
from azjax.studies.study import COMMON_SEARCH, Cell, Study
from azjax.support.errors import InputError, RunError
from azjax.support.files.claims import Claims, claiming
from azjax.support.files.ownership import Ownership, TakenError
from azjax.support.plurals import count

_SECONDS_BETWEEN_POLLS = 2.0  # while other workers train
_NUM_EVALUATIONS = 12  # of each run, about, besides those at every eighth of it


def train_study(study: Study, console: Console) -> list[str]:
    """Trains runs of a study until all have reached their limits; other workers may do the same.

    If a run fails, the others continue, and its last evaluation is its result.

    Returns:
      A line for each run that failed here.

    Raises:
      KeyboardInterrupt: A signal asked to stop; every run of this worker is saved.
      RunError: A run failed before its first evaluation.
    """
    with claiming() as claims:
        worker = _Worker(study, claims, console)
        worker.work()
    for run, text in worker.failures.items():
        if run not in worker.evaluated:
            raise RunError(f"{text}; it has no results, and the study no report")
    return list(worker.failures.values())


def evaluation_interval(study: Study, cell: Cell, num_devices: int) -> int:
    """Returns the iterations between evaluations: the study's, or else for about twenty in all.

    The results of timed iterations are discarded. A gated run has the interval of its
    configuration: another one would change what it learns.
    """
    if cell.config.train.gates:
        return cell.config.evaluate_every
    if study.evaluate_every is not None:
        return study.evaluate_every
    limits = study.limits_of(cell)
    minutes, iterations = limits.minutes, limits.iterations
    if minutes is None:
        return max(1, (iterations or 1) // _NUM_EVALUATIONS)
    slots = timed_slots(study, cell, num_devices)
    seconds = [slots.iterate()[1] for _ in range(NUM_ITERATIONS)]  # the first one is slower
    return max(1, round(60 * minutes / statistics.median(seconds) / _NUM_EVALUATIONS))


class _Worker:
    """Takes cells, and in a cell runs, that no other worker has."""

    def __init__(self, study: Study, claims: Claims, console: Console):
        self._study, self._claims, self._console = study, claims, console
        self.failures: dict[pathlib.Path, str] = {}  # by the run's folder
        self.evaluated: set[pathlib.Path] = set()  # failed runs with results
        self._finished: set[pathlib.Path] = set()  # runs that need not be read again

    def work(self) -> None:
        """Trains until nothing is left to do, here or elsewhere."""
        has_told = False
        while left := self._train_all_free():
            if not has_told:
                self._console.print(f"waiting for {count(left, 'run')} of other workers")
            has_told = True
            time.sleep(_SECONDS_BETWEEN_POLLS)

    def _train_all_free(self) -> int:
        """Trains what nobody else does; returns how many runs are left to others."""
        made: list[RunDirectory] = []
        for number, cell in enumerate(self._study.cells, start=1):
            runs = self._make_runs(cell)
            if any(map(self._is_open, runs)):
                title = f"{cell.name}: cell {number} of {len(self._study.cells)}"
                self._train(self._claimed(runs, title))
            made += runs
        num_missing = len(self._study.cells) * self._study.num_seeds - len(made)
        return num_missing + sum(map(self._is_open, made))

    def _is_open(self, run: RunDirectory) -> bool:
        """Tells whether a run is neither finished nor has failed here."""
        if run.path in self.failures or run.path in self._finished:
            return False
        try:
            if _is_finished(run):
                self._finished.add(run.path)
        except InputError as error:  # its metrics are damaged; the other runs go on
            self.failures[run.path] = f"{run.path}: {error}"
            return False
        return run.path not in self._finished

    def _make_runs(self, cell: Cell) -> list[RunDirectory]:
        """Returns the runs of a cell with their limits; creates those that are missing.

        While another worker creates them, there are none.
        """
        study = self._study
        paths = [study.run_path(cell.name, seed) for seed in study.seeds]
        if not all(map(is_run, paths)):
            folder = paths[0].parent
            owner = self._claims.claim(folder)
            if owner is None:
                return []
            try:
                _create_runs(study, cell, paths, owner)
            except TakenError:
                return []
            finally:
                self._claims.release(folder)
        limits = study.limits_of(cell)
        return [dataclasses.replace(open_run(path), limits=limits) for path in paths]

    def _claimed(self, runs: list[RunDirectory], title: str) -> Iterator[RunDirectory]:
        """Yields the open runs that no other worker has; each is this worker's until it ends."""
        is_first = True
        for run in filter(self._is_open, runs):
            try:
                owner = self._claims.claim(run.path)
            except InputError as error:  # its folder cannot be written; the other runs go on
                self.failures[run.path] = f"{run.path}: {error}"
                continue
            if owner is None:
                continue
            if not self._is_open(run):  # another worker has just finished it
                self._claims.release(run.path)
                continue
            if is_first:
                self._console.print(title, soft_wrap=True)
            is_first = False
            yield dataclasses.replace(run, owner=owner)

    def _train(self, runs: Iterator[RunDirectory]) -> None:
        """Trains runs of one cell.

        A CPU, which computes them one after another, leaves those that it has not begun to other
        workers.
        """
        progress = TrainingProgress(self._console, names_runs=True)
        if train_population(
            *(runs, runs_at_once(self._study), lambda: self._study.positions, progress),
            on_end=self._end,
        ):
            raise KeyboardInterrupt

    def _end(self, run: RunDirectory, outcome: Outcome) -> None:
        self._claims.release(run.path)
        if isinstance(outcome.error, TakenError):
            self._console.print(f"{run.path}: {outcome.error}", soft_wrap=True)
        elif outcome.error is not None:
            self.failures[run.path] = f"{run.path}: {outcome.error}"
            if _was_evaluated(run, outcome):
                self.evaluated.add(run.path)


def _create_runs(study: Study, cell: Cell, paths: list[pathlib.Path], owner: Ownership) -> None:
    """Creates the runs of a cell that are missing; raises TakenError where another worker does."""
    num_devices = cell.config.train.most_devices(len(jax.devices()))
    existing = [open_run(path) for path in paths if is_run(path)]
    interval = (
        existing[0].config.evaluate_every  # all runs of a cell have the same interval
        if existing
        else evaluation_interval(study, cell, num_devices)
    )
    config = dataclasses.replace(cell.config, evaluate_every=interval)
    for seed, path in zip(study.seeds, paths, strict=True):
        owner.check()  # to find the interval may take minutes
        if not is_run(path):
            limits = study.limits_of(cell)
            run = RunDirectory(
                path, study.preset, config, seed, num_devices, limits, keep_all_networks=True
            )
            create_run(run)


def _is_finished(run: RunDirectory) -> bool:
    """Tells whether a run has ended and its last checkpoint, written after its last row, is there.

    A run whose checkpoints were deleted to save space has ended, too.
    """
    rows = read_metrics(run.metrics)
    if not rows or why_ended(run, rows[-1]) is None:
        return False
    is_saved = last_checkpoint(run.checkpoints) == rows[-1]["iteration"]
    return is_saved or were_checkpoints_deleted(run)


def _was_evaluated(run: RunDirectory, outcome: Outcome) -> bool:
    """Tells whether a run was evaluated after its first iteration, in this session or before."""
    try:
        rows = outcome.rows or read_metrics(run.metrics)  # none if the run could not go on
    except InputError:
        return False
    return any(row["iteration"] > 0 and COMMON_SEARCH in row for row in rows)
