"""A worker: fills the places of one population after another with the trials of a sweep."""

import pathlib
import time
from collections.abc import Iterator

import jax
import optuna
from optuna.trial import TrialState
from rich.console import Console

from azjax.config.limits import Limits
from azjax.evaluation import Truth
from azjax.runs.population import train_population
from azjax.runs.progress import TrainingProgress
from azjax.runs.run_directory import RunDirectory, create_run, is_run, open_run
from azjax.runs.session import Outcome
from azjax.support.errors import InputError
from azjax.support.tables import Row
from azjax.sweeps.objective import Objective, mean_accuracy
from azjax.sweeps.search_space import Values
from azjax.sweeps.sweep import Sweep
from azjax.sweeps.trials import FINISHED, Trials, run_number

_TRIALS_PER_PLACE = 2  # of a population, where sizes are swept: then others have their turn
_SECONDS_BETWEEN_QUESTIONS = 1.0  # whether other workers have done their trials


class Worker:
    """Trains trials until there are enough of them, its time is up, or it is asked to stop."""

    def __init__(
        self,
        sweep: Sweep,
        trials: Trials,
        objective: Objective,
        truth: Truth | None,
        folder: pathlib.Path,
        console: Console,
        *,
        num_trials: int,
        num_slots: int,
        seconds: float,
    ):
        """Takes part in a sweep.

        Args:
          sweep: What is swept.
          trials: Of all workers.
          objective: What a trial is worth.
          truth: As for `train_population`.
          folder: Where the trials' runs are.
          console: What a person sees.
          num_trials: How many are to be finished, by all workers together.
          num_slots: How many this one trains side by side.
          seconds: After which it stops.
        """
        self._sweep, self._trials, self._objective, self._truth = sweep, trials, objective, truth
        self._folder, self._console = folder, console
        self._num_trials, self._num_places = num_trials, num_slots
        self._deadline = time.monotonic() + seconds
        self._running: dict[pathlib.Path, optuna.Trial] = {}
        self._poor: set[pathlib.Path] = set()
        self._waiting: list[optuna.Trial] = []  # for a population of their sizes

    def work(self) -> None:
        """Trains; trials that have not come to their end are queued again."""
        try:
            while first := self._first_trial():
                runs = self._runs(first)
                if self._train(runs):
                    break
        except KeyboardInterrupt:  # between populations, or a second one within
            pass
        finally:
            for trial in (*self._running.values(), *self._waiting):
                self._trials.requeue(trial)

    def _train(self, runs: Iterator[RunDirectory]) -> bool:
        return train_population(
            runs,
            self._num_places,
            self._truth,
            _LiveProgress(self._console, names_runs=True),
            on_evaluation=self._on_look,
            on_end=self._on_end,
        )

    def _first_trial(self) -> optuna.Trial | None:
        """Returns the trial that a population begins with; waits for what others may leave."""
        while not self._is_late():
            if trial := self._waiting.pop(0) if self._waiting else self._ask({}):
                return trial
            if not self._trials.count(TrialState.RUNNING):
                return None
            time.sleep(_SECONDS_BETWEEN_QUESTIONS)
        return None

    def _runs(self, first: optuna.Trial) -> Iterator[RunDirectory]:
        """Yields the run of each trial of a population: of the first one's sizes."""
        sizes = self._sweep.space.sizes(first.params)
        yield self._start(first)
        left = _TRIALS_PER_PLACE * self._num_places - 1 if sizes else self._num_trials
        while left and (trial := self._next_trial(sizes)):
            yield self._start(trial)
            left -= 1

    def _next_trial(self, sizes: Values) -> optuna.Trial | None:
        """Returns a trial of these sizes, or None where there is no time or need for one."""
        for trial in self._waiting:
            if self._sweep.space.sizes(trial.params) == sizes:
                self._waiting.remove(trial)
                return trial
        while not self._is_late() and (trial := self._ask(sizes)):
            if self._sweep.space.sizes(trial.params) == sizes:
                return trial
            self._waiting.append(trial)
        return None

    def _ask(self, sizes: Values) -> optuna.Trial | None:
        """Returns one more trial, or None where enough are finished or under way."""
        self._trials.queue_stale()
        if self._trials.count(*FINISHED, TrialState.RUNNING) >= self._num_trials:
            return None
        return self._trials.ask(sizes)

    def _start(self, trial: optuna.Trial) -> RunDirectory:
        """Returns the run of a trial, which is there already where the trial is a retry."""
        path = self._folder / str(run_number(trial))
        if path in self._running:  # its worker was taken for dead, and is this one
            self._trials.begin_anew(trial)
            path = self._folder / str(run_number(trial))
        config = self._sweep.space.config(trial.params)
        limits = Limits(self._sweep.trial_minutes, None)
        seed, devices = self._trials.seed_of(trial), config.train.most_devices(len(jax.devices()))
        self._running[path] = trial
        if not is_run(path):
            return create_run(path, self._sweep.preset, config, seed, devices, limits)
        run = open_run(path)
        if (run.config, run.seed) != (config, seed):
            raise InputError(
                f"{path} holds a run of another study's trial: choose another folder with --out"
            )
        return run

    def _on_look(self, run: RunDirectory, rows: list[Row]) -> bool:
        """Tells whether a run is to end early: it is poor, or there is no time left."""
        last = rows[-1]
        accuracy = mean_accuracy(last)
        if accuracy is None:
            return self._is_late()
        share_done = run.limits.share_done(last["iteration"], last["seconds"])
        if self._trials.should_prune(self._running[run.path], share_done, accuracy):
            self._poor.add(run.path)
            return True
        return self._is_late()

    def _on_end(self, run: RunDirectory, outcome: Outcome) -> None:
        trial = self._running.pop(run.path)
        should_prune = run.path in self._poor
        self._poor.discard(run.path)
        if outcome.error is not None:
            self._trials.finish(trial, None, {"error": str(outcome.error)})
            self._tell(trial, f"failed: {outcome.error}")
        elif _is_over(run, outcome):
            score = self._objective(run, outcome)
            self._trials.finish(trial, score, _notes(outcome))
            self._tell(trial, f"{self._sweep.objective} {score:.4g} after {outcome.seconds:.1f} s")
        elif should_prune:
            self._trials.finish(trial, None, _notes(outcome))
            self._tell(trial, f"stopped early after {outcome.seconds:.1f} s")
        else:
            self._trials.requeue(trial)

    def _tell(self, trial: optuna.Trial, text: str) -> None:
        done, best = self._trials.count(*FINISHED), self._trials.best()
        lead = f", best {best.value:.4g} (trial {best.number})" if best else ""
        self._console.print(
            f"trial {trial.number}: {text}; {done} of {self._num_trials} done{lead}",
            highlight=False,
            soft_wrap=True,
        )

    def _is_late(self) -> bool:
        return time.monotonic() >= self._deadline


class _LiveProgress(TrainingProgress):
    """Shows what is trained; lasting lines are left to the trials that end."""

    def show(self, run: RunDirectory, row: Row, share_done: float, lasting: bool) -> None:
        super().show(run, row, share_done, lasting=False)


def _is_over(run: RunDirectory, outcome: Outcome) -> bool:
    """Tells whether a run came to its own end."""
    iteration = outcome.rows[-1]["iteration"] if outcome.rows else 0
    perfect = outcome.accuracy is not None and outcome.accuracy.is_perfect
    is_perfect = run.config.stop_when_perfect and perfect
    return is_perfect or run.limits.share_done(iteration, outcome.seconds) >= 1


def _notes(outcome: Outcome) -> Values:
    """Returns what is kept of a trial beside its score."""
    kept = ("iteration", "seconds", "accuracy_network", "accuracy_search")
    evaluations = [row for row in outcome.rows if row.get("accuracy_search") is not None]
    last = (evaluations or outcome.rows or [{}])[-1]
    return {name: last[name] for name in kept if name in last}
