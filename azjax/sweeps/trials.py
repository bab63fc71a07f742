"""The trials of a study: asked for, watched, and told how they ended, by any number of workers."""

import contextlib
import datetime
from typing import Any

import optuna
from optuna.pruners import SuccessiveHalvingPruner
from optuna.samplers import PartialFixedSampler, TPESampler
from optuna.storages import RDBStorage, RetryHeartbeatStaleTrialCallback, fail_stale_trials
from optuna.trial import FrozenTrial, TrialState

from azjax.support.errors import InputError
from azjax.sweeps import storage as settings
from azjax.sweeps.heartbeat import Heartbeat
from azjax.sweeps.search_space import Space, Values

FINISHED = (TrialState.COMPLETE, TrialState.PRUNED)
NOTES = "notes"
_DESCRIPTION = "sweep"
_RUN = "run"
_HELD = "held"  # the trial's own number, once its heart beats: a retry inherits another one
_ENDED_BY_ANOTHER = (optuna.exceptions.UpdateFinishedTrialError, ValueError)
# Rungs of successive halving: 12% and 36% of a trial's time, where the best third goes on.
_STEPS = 1_000_000  # of a trial's time; so fine that two looks never fall on the same one
_FIRST_RUNG = 120_000
_REDUCTION = 3


def open_study(
    storage: RDBStorage, name: str, description: dict[str, Any], first: Values
) -> optuna.Study:
    """Returns the study of that name; who makes it queues the values that are tried first.

    Raises:
      InputError: There is one of another sweep.
    """
    pruner = SuccessiveHalvingPruner(_FIRST_RUNG, _REDUCTION)
    try:
        study = optuna.create_study(
            storage=storage, study_name=name, direction="maximize", pruner=pruner
        )
        study.enqueue_trial(first)
    except optuna.exceptions.DuplicatedStudyError:
        study = optuna.load_study(storage=storage, study_name=name, pruner=pruner)
    found = study.user_attrs.get(_DESCRIPTION)
    if found is None and not study.get_trials(deepcopy=False, states=FINISHED):
        study.set_user_attr(_DESCRIPTION, description)
    elif found != description:
        raise InputError(
            f"the storage already holds a study {name!r} of another sweep: "
            "choose another name for the folder with --out, or another storage"
        )
    return study


class Trials:
    """One worker's view of the trials that all workers share."""

    def __init__(self, study: optuna.Study, space: Space, seed: int, heartbeat: Heartbeat):
        self._study, self._space, self._seed = study, space, seed
        self._heartbeat = heartbeat

    def ask(self, sizes: Values) -> optuna.Trial:
        """Returns the next trial: one queued, whatever its sizes, else a new one of these sizes."""
        trial = self._study.ask()
        self._heartbeat.add(trial._trial_id)
        trial.set_user_attr(_HELD, trial.number)
        if _RUN not in trial.user_attrs:  # a retry inherits it
            self.begin_anew(trial)
        # By its number: no two workers draw alike, and a trial's draw hangs on no worker's past.
        sampler = TPESampler(seed=self.seed_of(trial), constant_liar=True)
        self._study.sampler = PartialFixedSampler(sizes, sampler)
        self._space.draw(trial)
        return trial

    def begin_anew(self, trial: optuna.Trial) -> None:
        """Gives a trial a run of its own."""
        trial.set_user_attr(_RUN, trial.number)

    def seed_of(self, trial: optuna.Trial) -> int:
        """Returns the seed of a trial."""
        return (self._seed + run_number(trial)) % 2**32

    def should_prune(self, trial: optuna.Trial, share_done: float, accuracy: float) -> bool:
        """Takes note of a look at a trial, and tells whether it is to be stopped early."""
        try:
            trial.report(accuracy, round(_STEPS * share_done))
            return trial.should_prune()
        except optuna.exceptions.UpdateFinishedTrialError:
            return True  # taken for dead, and queued again for whoever asks next

    def finish(self, trial: optuna.Trial, score: float | None, notes: Values) -> None:
        """Tells a trial's score, or None where it was stopped early or failed."""
        with self._leaving(trial):
            trial.set_user_attr(NOTES, notes)
            state = TrialState.PRUNED if score is None else TrialState.COMPLETE
            self._study.tell(trial, score, state)

    def requeue(self, trial: optuna.Trial) -> None:
        """Queues a trial again that did not come to its end."""
        with self._leaving(trial):
            self._queue_again(trial.number)

    def queue_stale(self) -> None:
        """Queues again the trials of workers who died."""
        self._heartbeat.send()  # after a laptop's sleep this worker may seem to be one of them
        fail_stale_trials(self._study)
        for trial in self._study.get_trials(deepcopy=False, states=(TrialState.RUNNING,)):
            if _is_abandoned(trial):
                with contextlib.suppress(*_ENDED_BY_ANOTHER):
                    self._queue_again(trial.number)

    def count(self, *states: TrialState) -> int:
        """Returns how many trials of all workers are in one of these states."""
        return len(self._study.get_trials(deepcopy=False, states=states))

    def best(self) -> FrozenTrial | None:
        """Returns the trial of the highest score, or None as long as there is no score."""
        return self._study.best_trial if self.count(TrialState.COMPLETE) else None

    def _queue_again(self, number: int) -> None:
        ended = self._study.tell(number, state=TrialState.FAIL)
        RetryHeartbeatStaleTrialCallback()(self._study, ended)

    @contextlib.contextmanager
    def _leaving(self, trial: optuna.Trial):
        """Ends a trial's heartbeats; one that another worker took for dead is told by that one."""
        try:
            yield
        except _ENDED_BY_ANOTHER:
            if not self._is_finished(trial):
                raise
        finally:
            self._heartbeat.remove(trial._trial_id)

    def _is_finished(self, trial: optuna.Trial) -> bool:
        return self._study.trials[trial.number].state.is_finished()


def run_number(trial: optuna.Trial | FrozenTrial) -> int:
    """Returns the number of a trial's run; a retry goes on with the run of the one it retries."""
    return trial.user_attrs.get(_RUN, trial.number)


def _is_abandoned(trial: FrozenTrial) -> bool:
    """Tells whether a trial's worker died before the first heartbeat, which Optuna never misses."""
    age = datetime.datetime.now() - trial.datetime_start
    is_held = trial.user_attrs.get(_HELD) == trial.number
    return not is_held and age.total_seconds() > settings.GRACE_SECONDS
