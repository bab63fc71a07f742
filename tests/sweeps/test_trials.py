"""The trials that workers share, and the settings that a sweep records."""

import shutil
import time
from unittest.mock import Mock

import optuna
import pytest
import sqlalchemy
from optuna.trial import TrialState

from azjax.config.limits import Limits
from azjax.config.presets import get_preset
from azjax.support.errors import InputError
from azjax.sweeps import storage as storage_module
from azjax.sweeps import trials as trials_module
from azjax.sweeps.search_space import make_space
from azjax.sweeps.storage import Heartbeat, file_url, open_storage, quiet_optuna
from azjax.sweeps.sweep import Sweep
from azjax.sweeps.trials import FINISHED, Trials, open_study, run_number

SPACE = make_space(get_preset("tic_tac_toe").config, None)
SWEEP = Sweep("tic_tac_toe", SPACE, "rating", "random", None, Limits(1.0), seed=0)
SETTINGS = SWEEP.describe()


@pytest.fixture(autouse=True)
def quiet():
    with quiet_optuna():
        yield


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """Returns a database with tables and no study: to create them takes a second."""
    path = tmp_path_factory.mktemp("tables") / "study.db"
    with quiet_optuna():
        open_storage(f"sqlite:///{path}").engine.dispose()
    return path


@pytest.fixture
def open_trials(tmp_path, tables):
    """Returns `open_trials()`: the trials as a new worker accesses them."""
    shutil.copy(tables, tmp_path / "study.db")

    def call():
        storage = open_storage(f"sqlite:///{tmp_path / 'study.db'}")
        study = open_study(storage, "test", SETTINGS, SPACE.values_of(SPACE.base))
        return Trials(study, SPACE, 0, Heartbeat(storage))

    return call


class Clock:
    """A clock of trials that stands still until somebody waits."""

    def __init__(self):
        self.now = 0.0

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(trials_module, "time", clock)
    return clock


def test_workers_share_trials_and_sample_different_ones(open_trials):
    first, second = open_trials(), open_trials()
    asked = [first.ask({}), second.ask({}), first.ask({})]
    assert [trial.number for trial in asked] == [0, 1, 2]
    assert asked[0].params == SPACE.values_of(SPACE.base)  # queued once, when the study is created
    rates = {trial.params["optimizer.learning_rate"] for trial in asked}
    assert len(rates) == 3
    assert second.count(TrialState.RUNNING) == 3
    first.finish(asked[0], 0.5, {})
    second.finish(asked[1], None, {})
    assert first.count(*FINISHED) == second.count(*FINISHED) == 2
    assert second.best().number == 0


@pytest.mark.usefixtures("clock")
def test_a_worker_killed_as_it_created_the_study_has_left_the_first_trial_to_others(
    open_trials, monkeypatch
):
    with monkeypatch.context() as patch:
        patch.setattr(optuna.Study, "enqueue_trial", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            open_trials()
    assert open_trials().ask({}).params == SPACE.values_of(SPACE.base)


def test_a_requeued_trial_is_next_with_its_values_and_its_run(open_trials):
    trials = open_trials()
    trials.ask({})
    trial = trials.ask({})
    trials.requeue(trial)
    again = open_trials().ask({})
    assert again.params == trial.params
    assert (again.number, run_number(again)) == (2, 1)
    assert trials.seed_of(again) == trials.seed_of(trial)


@pytest.mark.parametrize("num_attempts", [1, 3])
def test_the_first_trial_is_never_pruned(open_trials, num_attempts):
    trials = open_trials()
    first, better = trials.ask({}), trials.ask({})
    for _ in range(num_attempts - 1):
        trials.requeue(first)
        first = trials.ask({})
        trials.assign_new_run(first)
    assert not trials.should_prune(better, 0.15, 0.9)
    assert not trials.should_prune(first, 0.15, 0.5)
    assert first.number == (0 if num_attempts == 1 else num_attempts)


def test_a_trial_behind_the_first_one_is_pruned(open_trials):
    trials = open_trials()
    first, second = trials.ask({}), trials.ask({})
    assert not trials.should_prune(first, 0.15, 0.5)
    assert trials.should_prune(second, 0.15, 0.4)


def test_a_stale_trial_is_left_to_other_workers(open_trials, monkeypatch):
    monkeypatch.setattr(storage_module, "GRACE_SECONDS", 1)
    slow, other = open_trials(), open_trials()
    trial, healthy = slow.ask({}), other.ask({})
    time.sleep(2.1)  # the database counts whole seconds
    other.requeue_stale()  # its own trials are not stale
    assert (other.count(TrialState.FAIL), other.count(TrialState.RUNNING)) == (1, 1)
    again = other.ask({})
    assert again.params == trial.params
    assert run_number(again) == trial.number != healthy.number
    assert slow.should_prune(trial, 0.5, 1.0)
    slow.finish(trial, 1.0, {})
    slow.requeue(trial)
    assert other.count(TrialState.RUNNING) == 2
    assert other.count(TrialState.COMPLETE) == other.count(TrialState.WAITING) == 0


def test_a_worker_that_loses_the_race_to_create_tables_tries_again(tmp_path, monkeypatch):
    errors = [sqlalchemy.exc.SQLAlchemyError("table studies already exists")]
    really_open = storage_module._open
    monkeypatch.setattr(
        storage_module, "_open", lambda url: raise_(errors.pop()) if errors else really_open(url)
    )
    storage = open_storage(f"sqlite:///{tmp_path / 'study.db'}")
    assert storage.get_all_studies() == []
    assert errors == []


def raise_(error):
    raise error


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://user:secret@127.0.0.1:1/name",
        "postgresql://user:x:secret/name",
        "sqlite:///{text}",
    ],
)
def test_an_unreachable_storage_is_reported_without_its_password(url, tmp_path):
    text = tmp_path / "text"
    text.write_text("no database\n" * 100)
    with pytest.raises(InputError, match="cannot be opened") as refusal:
        open_storage(url.format(text=text))
    assert "secret" not in str(refusal.value)
    assert len(str(refusal.value).splitlines()) == 1


@pytest.mark.parametrize("name", ["a?b", "p%20q", "a#b"])
def test_a_storage_is_the_file_whatever_its_folder_is_named(tmp_path, name):
    path = tmp_path / name / "study.db"
    path.parent.mkdir()
    open_storage(file_url(path))
    assert [file.relative_to(tmp_path) for file in tmp_path.rglob("*.db")] == [
        path.relative_to(tmp_path)
    ]
