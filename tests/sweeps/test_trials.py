"""The trials that workers share, and the settings that a sweep records."""

import copy
import datetime
import shutil
import threading
import time
from types import SimpleNamespace
from unittest.mock import Mock

import optuna
import pytest
import sqlalchemy
from optuna.trial import FrozenTrial, TrialState

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


def test_a_worker_that_comes_before_the_first_trial_waits_for_it(open_trials, monkeypatch):
    enqueue, others, waits = optuna.Study.enqueue_trial, [], threading.Event()

    def wait(seconds):
        waits.set()
        time.sleep(seconds)

    def enqueue_late(*arguments, **settings):
        other = threading.Thread(target=lambda: others.append(open_trials()))
        other.start()
        assert waits.wait(60)
        enqueue(*arguments, **settings)
        other.join()

    with monkeypatch.context() as patch:
        patch.setattr(optuna.Study, "enqueue_trial", enqueue_late)
        clock = SimpleNamespace(monotonic=time.monotonic, sleep=wait)
        patch.setattr(trials_module, "time", clock)
        trials = open_trials()
    assert [t.count(TrialState.WAITING) for t in (trials, *others)] == [1, 1]


def test_a_requeued_trial_is_next_with_its_values_and_its_run(open_trials):
    trials = open_trials()
    trials.ask({})
    trial = trials.ask({})
    trials.requeue(trial)
    again = open_trials().ask({})
    assert again.params == trial.params
    assert (again.number, run_number(again)) == (2, 1)
    assert trials.seed_of(again) == trials.seed_of(trial)


@pytest.mark.parametrize(("num_attempts", "has_new_run"), [(1, False), (3, False), (3, True)])
def test_the_first_trial_is_never_pruned(open_trials, num_attempts, has_new_run):
    trials = open_trials()
    first, better = trials.ask({}), trials.ask({})
    for _ in range(num_attempts - 1):
        trials.requeue(first)
        first = trials.ask({})
        if has_new_run:
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


def test_a_trial_whose_worker_died_before_its_first_heartbeat_is_queued_again(open_trials, clock):
    dead, other = open_trials(), open_trials()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dead._heartbeat, "add", lambda trial_id: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            dead.ask({})
    other.requeue_stale()
    clock.sleep(storage_module.GRACE_SECONDS)  # still within the grace period
    other.requeue_stale()
    assert other.count(TrialState.RUNNING) == 1
    clock.sleep(1)
    other.requeue_stale()
    assert (other.count(TrialState.FAIL), other.count(TrialState.WAITING)) == (1, 1)
    again = other.ask({})
    assert (again.number, run_number(again)) == (1, 1)
    other.requeue_stale()
    assert other.count(TrialState.RUNNING) == 1


def test_a_retry_whose_worker_died_before_its_first_heartbeat_is_queued_again(open_trials, clock):
    first, dead, other = open_trials(), open_trials(), open_trials()
    first.requeue(first.ask({}))  # the retry inherits that the trial before it was held
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dead._heartbeat, "add", lambda trial_id: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            dead.ask({})
    other.requeue_stale()
    clock.sleep(storage_module.GRACE_SECONDS + 1)
    other.requeue_stale()
    assert (other.count(TrialState.FAIL), other.count(TrialState.WAITING)) == (2, 1)


@pytest.mark.parametrize("hours", [-17, 17])
def test_workers_in_different_time_zones_agree_on_what_is_abandoned(
    open_trials, monkeypatch, clock, hours
):
    """Optuna 4 records a trial's start in the time zone of its worker, and without its name."""
    start = datetime.datetime.now(datetime.timezone(datetime.timedelta(hours=hours)))
    monkeypatch.setattr(FrozenTrial, "datetime_start", start.replace(tzinfo=None))
    dead, other = open_trials(), open_trials()
    monkeypatch.setattr(dead._heartbeat, "add", lambda trial_id: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        dead.ask({})
    other.requeue_stale()  # within the grace period
    assert other.count(TrialState.RUNNING) == 1
    clock.sleep(storage_module.GRACE_SECONDS + 1)
    other.requeue_stale()
    assert (other.count(TrialState.FAIL), other.count(TrialState.WAITING)) == (1, 1)


def test_a_study_goes_on_after_a_field_was_added(open_trials, tmp_path):
    trial = open_trials().ask({})
    storage = open_storage(f"sqlite:///{tmp_path / 'study.db'}")
    study = optuna.load_study(study_name="test", storage=storage)
    older = copy.deepcopy(SETTINGS)
    del older["space"]["config"]["search"]["rescale_values"]
    study.set_user_attr("sweep", older)
    again = open_study(storage, "test", SETTINGS, {})
    assert again.trials[trial.number].params == trial.params


def test_heartbeats_are_sent_while_a_trial_is_trained(tmp_path, monkeypatch):
    monkeypatch.setattr(storage_module, "HEARTBEAT_SECONDS", 0.01)
    sent = []

    class Storage:
        def record_heartbeat(self, trial_id):
            sent.append(trial_id)
            if len(sent) == 3:
                raise optuna.exceptions.StorageInternalError  # a later one may succeed

    def wait_for_more():
        before, end = len(sent), time.monotonic() + 10
        while len(sent) < before + 8:
            assert time.monotonic() < end
            time.sleep(0.01)

    with Heartbeat(Storage()) as heartbeat:
        heartbeat.add(1)
        wait_for_more()
        heartbeat.add(2)
        heartbeat.remove(1)
        wait_for_more()
        assert set(sent[-4:]) == {2}
    assert not heartbeat._thread.is_alive()


def test_a_study_of_another_sweep_is_refused_and_left_unchanged(open_trials, tmp_path):
    open_trials().ask({})
    storage = open_storage(f"sqlite:///{tmp_path / 'study.db'}")
    with pytest.raises(InputError, match="holds a study 'test' of another sweep"):
        open_study(storage, "test", SETTINGS | {"seed": 2}, {})
    assert open_trials().count(TrialState.RUNNING) == 1


@pytest.mark.parametrize("words", ["table studies already exists", "violates unique constraint"])
def test_a_worker_that_loses_the_race_to_create_tables_tries_again(words, tmp_path, monkeypatch):
    errors = [sqlalchemy.exc.SQLAlchemyError(words)]
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
        "nonsense",
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


def test_a_study_of_an_older_azjax_is_another_sweep(open_trials, tmp_path):
    open_trials()
    storage = open_storage(f"sqlite:///{tmp_path / 'study.db'}")
    study = optuna.load_study(study_name="test", storage=storage)
    study.set_user_attr("sweep", {"space": {"config": {"train": {}, "hparams": {}}}})
    with pytest.raises(InputError, match="holds a study 'test' of another sweep"):
        open_study(storage, "test", SETTINGS, {})


@pytest.mark.parametrize("name", ["a?b", "p%20q", "a#b", "a b", "[a]"])
def test_a_storage_is_the_file_whatever_its_folder_is_named(tmp_path, name):
    path = tmp_path / name / "study.db"
    path.parent.mkdir()
    open_storage(file_url(path))
    assert [file.relative_to(tmp_path) for file in tmp_path.rglob("*.db")] == [
        path.relative_to(tmp_path)
    ]


def test_a_folder_that_no_url_names_is_refused(tmp_path):
    with pytest.raises(InputError, match="choose a folder of letters and digits"):
        file_url(tmp_path / "\udcff" / "study.db")
