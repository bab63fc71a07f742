"""The trials of a sweep, shared by any number of workers through an Optuna study."""

import contextlib
import time
from collections.abc import Iterator
from typing import Any

import optuna
from optuna.pruners import SuccessiveHalvingPruner
from optuna.samplers import PartialFixedSampler, TPESampler
from optuna.storages import RDBStorage, RetryHeartbeatStaleTrialCallback, fail_stale_trials
from optuna.trial import FrozenTrial, TrialState

from azjax.support.errors import InputError
from azjax.sweeps.search_space import Space, Values
from azjax.sweeps.storage import Heartbeat
from azjax.sweeps.sweep import read_settings

FINISHED = (TrialState.COMPLETE, TrialState.PRUNED)
NOTES = "notes"
_DESCRIPTION = "sweep"
_RUN = "run"
_FIRST = "first"  # set of the first trial; retries inherit it
_CREATION_SECONDS = 5.0  # at most, from a study to its first trial
_FINISHED_BY_ANOTHER = (optuna.exceptions.UpdateFinishedTrialError, ValueError)
# Successive halving has rungs at 12% and 36% of a trial's time, after which the best third go on.
_STEPS = 1_000_000  # of a trial's time; so fine that no two evaluations share a step
_FIRST_RUNG = 120_000
_REDUCTION = 3


def open_study(
    storage: RDBStorage, name: str, description: dict[str, Any], first: Values
) -> optuna.Study:
    """Returns the study of a name; creates it where it is missing, with a first trial in its queue.

    Raises:
      InputError: The study of that name belongs to another sweep.
    """
    pruner = SuccessiveHalvingPruner(_FIRST_RUNG, _REDUCTION)
    try:
        study = optuna.create_study(
            storage=storage, study_name=name, direction="maximize", pruner=pruner
        )
        has_first = False
    except optuna.exceptions.DuplicatedStudyError:
        study = optuna.load_study(storage=storage, study_name=name, pruner=pruner)
        has_first = _has_trials_soon(study)  # not if the worker that created it was killed
    if not has_first:
        study.enqueue_trial(first, {_FIRST: True}, skip_if_exists=True)
    found = study.user_attrs.get(_DESCRIPTION)
    if found is None and not study.get_trials(deepcopy=False, states=FINISHED):
        study.set_user_attr(_DESCRIPTION, description)
    elif found is None or not _describes(found, description):
        raise InputError(
            f"the storage already holds a study {name!r} of another sweep: "
            "choose another name for the folder with --out, or another storage"
        )
    return study


def _describes(recorded: dict[str, Any], description: dict[str, Any]) -> bool:
    """Tells whether recorded settings, maybe of another azjax, equal a description."""
    with contextlib.suppress(ValueError):
        return read_settings(recorded) == description
    return False


def _has_trials_soon(study: optuna.Study) -> bool:
    """Tells whether a study has trials; waits for the first one of a worker that creates it now."""
    deadline = time.monotonic() + _CREATION_SECONDS
    while not study.get_trials(deepcopy=False):
        if time.monotonic() > deadline:
            return False
        time.sleep(_CREATION_SECONDS / 50)
    return True


class Trials:
    """The trials of all workers, as one worker accesses them."""

    def __init__(self, study: optuna.Study, space: Space, seed: int, heartbeat: Heartbeat):
        self._study, self._space, self._seed = study, space, seed
        self._heartbeat = heartbeat

    def ask(self, static_values: Values) -> optuna.Trial:
        """Returns the next trial in the queue; if it is empty, a new one with these values."""
        trial = self._study.ask()
        self._heartbeat.add(trial._trial_id)
        if _RUN not in trial.user_attrs:  # a retry inherits it
            self.assign_new_run(trial)
        # Seeded by the trial: workers sample different values, whatever they sampled before.
        sampler = TPESampler(seed=self.seed_of(trial), constant_liar=True)
        self._study.sampler = PartialFixedSampler(static_values, sampler)
        self._space.sample(trial)
        return trial

    def assign_new_run(self, trial: optuna.Trial) -> None:
        """Assigns a trial a run of its own."""
        trial.set_user_attr(_RUN, trial.number)

    def seed_of(self, trial: optuna.Trial) -> int:
        return (self._seed + run_number(trial)) % 2**32

    def should_prune(self, trial: optuna.Trial, share_done: float, accuracy: float) -> bool:
        """Reports an evaluation of a trial; returns whether to prune the trial.

        The first trial is the preset's and never pruned, as all others are compared with it.
        """
        try:
            trial.report(accuracy, round(_STEPS * share_done))
            is_behind = trial.should_prune()  # it also enters the trial for comparison with others
            return is_behind and not is_first(trial)
        except optuna.exceptions.UpdateFinishedTrialError:
            return True  # it was stale, and another worker has requeued it

    def finish(self, trial: optuna.Trial, score: float | None, notes: Values) -> None:
        """Finishes a trial with its score, or with None if it was pruned or failed."""
        with self._ending(trial):
            trial.set_user_attr(NOTES, notes)
            state = TrialState.PRUNED if score is None else TrialState.COMPLETE
            self._study.tell(trial, score, state)

    def requeue(self, trial: optuna.Trial) -> None:
        """Queues an unfinished trial again."""
        with self._ending(trial):
            failed = self._study.tell(trial.number, state=TrialState.FAIL)
            RetryHeartbeatStaleTrialCallback()(self._study, failed)

    def is_lost(self, trial: optuna.Trial) -> bool:
        """Tells whether another worker has requeued a running trial, as stale."""
        return self._study.trials[trial.number].state.is_finished()

    def requeue_stale(self) -> None:
        """Queues the trials of dead workers again."""
        self._heartbeat.send()  # else this worker's own may be stale, after a laptop's sleep
        fail_stale_trials(self._study)

    def count(self, *states: TrialState) -> int:
        """Returns the number of trials of all workers in these states."""
        return len(self._study.get_trials(deepcopy=False, states=states))

    def best(self) -> FrozenTrial | None:
        """Returns the trial of the highest score, or None before the first score."""
        return self._study.best_trial if self.count(TrialState.COMPLETE) else None

    @contextlib.contextmanager
    def _ending(self, trial: optuna.Trial) -> Iterator[None]:
        """Stops a trial's heartbeats; ignores a trial that another worker has finished as stale."""
        try:
            yield
        except _FINISHED_BY_ANOTHER:
            if not self.is_lost(trial):
                raise
        finally:
            self._heartbeat.remove(trial._trial_id)


def is_first(trial: optuna.Trial | FrozenTrial) -> bool:
    """Tells whether a trial is the first one of its study, or that one tried again."""
    return trial.user_attrs.get(_FIRST, run_number(trial) == 0)


def run_number(trial: optuna.Trial | FrozenTrial) -> int:
    """Returns the number of a trial's run; a retry goes on with the first attempt's if it can."""
    return trial.user_attrs.get(_RUN, trial.number)
