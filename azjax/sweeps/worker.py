"""A worker of a sweep: trains trials in one population after another."""

import dataclasses
import pathlib
import time
from collections.abc import Iterator

import jax
import optuna
from optuna.trial import TrialState
from rich.console import Console

from azjax.evaluation import SolvedPositions
from azjax.runs.evaluation.endings import why_ended
from azjax.runs.reporting.progress import TrainingProgress
from azjax.runs.session import Outcome
from azjax.runs.storage.run_directory import RunDirectory
from azjax.runs.storage.run_folders import create_run, is_run, open_run
from azjax.runs.train import train_population
from azjax.support.errors import InputError
from azjax.support.files.ownership import find_owner
from azjax.support.files.tables import Row
from azjax.sweeps.objective import Objective
from azjax.sweeps.search_space import Values
from azjax.sweeps.sweep import Sweep
from azjax.sweeps.trial_rows import NOTED_METRICS, format_number, score_meaning
from azjax.sweeps.trials import FINISHED, Trials, run_number

_TRIALS_PER_SLOT = 2  # of a population where static values are swept; then others get a turn
_SECONDS_BETWEEN_POLLS = 1.0  # while other workers finish their trials


@dataclasses.dataclass
class Worker:
    """Trains trials until enough are finished, the time is up, or a signal asks it to stop."""

    sweep: Sweep
    trials: Trials  # of all workers
    objective: Objective
    positions: SolvedPositions | None  # on which accuracy is measured
    folder: pathlib.Path  # of the runs of the trials
    console: Console
    num_trials: int  # to be finished by all workers together
    num_slots: int  # trials that this worker trains in one population
    seconds: float  # of its work, from its making on

    def __post_init__(self) -> None:
        """Begins to count the time."""
        self._deadline = time.monotonic() + self.seconds
        self._running: dict[pathlib.Path, optuna.Trial] = {}
        self._pruned: set[pathlib.Path] = set()  # runs that end at their last evaluation
        self._waiting: list[optuna.Trial] = []  # for a population with their static values

    def work(self) -> bool:
        """Trains trials, requeues those not finished; returns whether a signal asked to stop."""
        try:
            while first := self._first_trial():
                if self._train(self._runs(first)):
                    return True
            return False
        except KeyboardInterrupt:  # between populations, or a second signal within one
            return True
        finally:
            for trial in (*self._running.values(), *self._waiting):
                self.trials.requeue(trial)

    def _train(self, runs: Iterator[RunDirectory]) -> bool:
        return train_population(
            runs,
            self.num_slots,
            lambda: self.positions,
            _LiveProgress(self.console, names_runs=True),
            on_evaluation=self._on_evaluation,
            on_end=self._on_end,
        )

    def _first_trial(self) -> optuna.Trial | None:
        """Returns the first trial of a population; waits for trials that others may requeue."""
        while not self._is_late():
            if trial := self._waiting.pop(0) if self._waiting else self._ask({}):
                return trial
            if not self.trials.count(TrialState.RUNNING):
                return None
            time.sleep(_SECONDS_BETWEEN_POLLS)
        return None

    def _runs(self, first: optuna.Trial) -> Iterator[RunDirectory]:
        """Yields the runs of a population: of trials with the static values of the first one."""
        static_values = self.sweep.space.static_values(first.params)
        yield self._start(first)
        left = _TRIALS_PER_SLOT * self.num_slots - 1 if static_values else self.num_trials
        while left and (trial := self._next_trial(static_values)):
            yield self._start(trial)
            left -= 1

    def _next_trial(self, static_values: Values) -> optuna.Trial | None:
        """Returns a trial with these static values, or None if time is up or none is needed."""
        for waiting in self._waiting:
            if self.sweep.space.static_values(waiting.params) == static_values:
                self._waiting.remove(waiting)
                return waiting
        while not self._is_late() and (trial := self._ask(static_values)):
            if self.sweep.space.static_values(trial.params) == static_values:
                return trial
            self._waiting.append(trial)
        return None

    def _ask(self, static_values: Values) -> optuna.Trial | None:
        """Returns one more trial, or None if enough are finished or running."""
        self.trials.requeue_stale()
        if self.trials.count(*FINISHED, TrialState.RUNNING) >= self.num_trials:
            return None
        return self.trials.ask(static_values)

    def _start(self, trial: optuna.Trial) -> RunDirectory:
        """Returns the run of a trial; a retry has one already."""
        config, limits = self.sweep.trial_config(trial.params), self.sweep.trial_limits
        devices = config.train.most_devices(len(jax.devices()))
        path = self._path(trial)
        is_in_use = path in self._running or find_owner(path)
        # All runs of a population are on as many devices.
        if is_in_use or (is_run(path) and open_run(path).num_devices != devices):
            # A retry. One of a stale trial: its worker may train the run further at any time.
            self.trials.assign_new_run(trial)
            path = self._path(trial)
        seed = self.trials.seed_of(trial)
        self._running[path] = trial
        if not is_run(path):
            preset = self.sweep.preset
            run = RunDirectory(path, preset, config, seed, devices, limits, is_trial=True)
            return create_run(run)
        run = open_run(path)
        if (run.config, run.seed, run.num_devices) != (config, seed, devices):
            raise InputError(
                f"{path} holds a run of another study's trial: choose another folder with --out"
            )
        return run

    def _path(self, trial: optuna.Trial) -> pathlib.Path:
        return self.folder / str(run_number(trial))

    def _on_evaluation(self, run: RunDirectory, rows: list[Row]) -> bool:
        """Tells whether to end a run early: its trial is pruned, or time is up."""
        last = rows[-1]
        accuracy = last.get("validation_accuracy")  # by which trials are compared
        if accuracy is None:
            return self._is_late()
        share_done = run.limits.share_done(last["iteration"], last["seconds"])
        if self.trials.should_prune(self._running[run.path], share_done, accuracy):
            self._pruned.add(run.path)
            return True
        return self._is_late()

    def _on_end(self, run: RunDirectory, outcome: Outcome) -> None:
        self._end(self._running[run.path], run, outcome)
        del self._running[run.path]  # not before: a trial whose objective fails is requeued

    def _end(self, trial: optuna.Trial, run: RunDirectory, outcome: Outcome) -> None:
        is_pruned = run.path in self._pruned
        self._pruned.discard(run.path)
        if self.trials.is_lost(trial):
            self.trials.requeue(trial)
            self._log(trial, "it was declared dead, and is tried again as another trial")
        elif outcome.error is not None:
            self.trials.finish(trial, None, {"error": str(outcome.error)})
            self._log(trial, f"failed: {outcome.error}")
        elif outcome.rows and why_ended(run, outcome.rows[-1]):
            score = self.objective(run, outcome)
            self.trials.finish(trial, score, _notes(outcome))
            text = f"score {format_number(score)} ({score_meaning(self.sweep, score)})"
            self._log(trial, f"{text} after {outcome.seconds:.1f} s")
        elif is_pruned:
            notes = _notes(outcome)
            self.trials.finish(trial, None, notes)
            share = format_number(100 * notes["validation_accuracy"])
            text = f"stopped early after {outcome.seconds:.1f} s (validation accuracy {share}%)"
            self._log(trial, text)
        else:
            self.trials.requeue(trial)

    def _log(self, trial: optuna.Trial, text: str) -> None:
        done, best = self.trials.count(*FINISHED), self.trials.best()
        best_text = ""
        if best:
            best_text = f", best score {format_number(best.values[0])} (trial {best.number})"
        self.console.print(
            f"trial {trial.number}: {text}; {done} of {self.num_trials} done{best_text}",
            highlight=False,
            soft_wrap=True,
        )

    def _is_late(self) -> bool:
        return time.monotonic() >= self._deadline


class _LiveProgress(TrainingProgress):
    """Shows running trials; the worker itself prints a line for each finished one."""

    def update(self, run: RunDirectory, row: Row, share_done: float, *, permanent: bool) -> None:
        super().update(run, row, share_done, permanent=False)


def _notes(outcome: Outcome) -> Values:
    """Returns the last evaluation of a run, stored with its trial's score."""
    evaluations = [row for row in outcome.rows if row.get("validation_accuracy") is not None]
    last = (evaluations or outcome.rows or [{}])[-1]
    return {name: last[name] for name in NOTED_METRICS if name in last}
