"""Trials in the slots of populations: pruned, replaced, requeued.

Nothing is trained here: learning curves are functions of the sampled values.
"""

import time
import types

import optuna
import pytest
from sweeping import FakePopulation, read_run

import azjax.sweeps.report as report_module
import azjax.sweeps.worker as worker_module
from azjax.support.errors import RunError
from azjax.sweeps.storage import quiet_optuna

pytestmark = pytest.mark.slow

LONG = ("--minutes", 5, "--trial-minutes", 1, "--out", "out")


@pytest.fixture
def train_as(monkeypatch):
    """Returns `train_as(accuracy, ...)`, after which trials are trained by a FakePopulation."""
    monkeypatch.setattr(report_module, "plot_importance", lambda *arguments: None)

    def call(*arguments, **settings):
        fake = FakePopulation(*arguments, **settings)
        monkeypatch.setattr(worker_module, "train_population", fake)
        return fake

    return call


def by_rate(run, share):
    """Returns an accuracy that grows with the learning rate."""
    return share * run.config.train.optimizer.learning_rate


def trials(tmp_path):
    url = f"sqlite:///{tmp_path / 'out' / 'study.db'}"
    return optuna.load_study(study_name="out", storage=url).trials


def state_names(tmp_path):
    return [trial.state.name for trial in trials(tmp_path)]


def test_pruned_trials_free_their_slots(sweep, train_as, tmp_path):
    fake = train_as(by_rate)
    result = sweep("--trials", 20, "--places", 3, *LONG)
    assert result.code == 0, result.err
    (runs,) = fake.calls  # one population
    assert [run.seed for run in runs] == [*range(20)]
    assert fake.max_sessions == 3
    found = trials(tmp_path)
    complete = [t for t in found if t.state.name == "COMPLETE"]
    pruned = [t for t in found if t.state.name == "PRUNED"]
    assert len(complete) + len(pruned) == 20
    assert len(pruned) > 10  # of those at a rung, two thirds
    # They end at the first evaluation after 12% or 36% of their time.
    assert all(t.last_step in (200_000, 400_000) for t in pruned)
    rates = {t.number: t.params["optimizer.learning_rate"] for t in found}
    best = max(complete, key=lambda t: t.value)
    assert rates[best.number] == max(rates.values())
    assert best.value == pytest.approx(rates[best.number], rel=1e-3)
    worst = min(pruned, key=lambda t: t.intermediate_values[200_000])
    accuracy = f"{100 * worst.intermediate_values[200_000]:.4g}"
    assert f"stopped early after 12.0 s (validation accuracy {accuracy}%)" in result.out
    rate = f"{best.value:.4g}"
    assert f"score {rate} (validation accuracy " in result.out
    assert f"20 of 20 done, best score {rate} (trial {best.number})" in result.out


def test_the_same_seed_samples_the_same_trials(sweep, train_as, tmp_path):
    train_as(by_rate)
    sampled = []
    for seed, out in ((1, "a"), (1, "b"), (2, "c")):
        options = ("--trials", 4, "--places", 2, "--seed", seed, "--trial-minutes", 1)
        assert sweep(*options, "--out", out).code == 0
        sampled.append([read_run(tmp_path / out, n)["config"] for n in range(4)])
    assert sampled[0] == sampled[1]
    assert sampled[0][1] != sampled[2][1]


def test_the_trials_of_a_population_have_the_same_static_values(sweep, train_as, tmp_path):
    fake = train_as(by_rate)
    space = tmp_path / "space.toml"
    space.write_text("[network]\nchannels = [8, 16, 32]\n")
    assert sweep("--trials", 12, "--places", 2, "--space", space, *LONG).code == 0
    channels = [{run.config.train.network.channels for run in runs} for runs in fake.calls]
    assert all(len(sizes) == 1 for sizes in channels)
    assert len(set.union(*channels)) > 1
    assert [len(runs) for runs in fake.calls] == [4] * 3


def test_a_failed_trial_is_reported_and_counts_and_the_others_continue(sweep, train_as, tmp_path):
    train_as(by_rate, error=lambda run: RunError("no") if run.path.name == "1" else None)
    result = sweep("--trials", 4, "--places", 2, *LONG)
    assert result.code == 0, result.err
    assert "trial 1: failed: no;" in result.out
    assert "4 of 4 done" in result.out
    assert trials(tmp_path)[1].user_attrs["notes"]["error"] == "no"
    assert "WAITING" not in state_names(tmp_path)


def test_the_retry_of_a_trial_that_still_runs_here_gets_a_new_run(sweep, train_as, tmp_path):
    def accuracy(run, share):
        if run.path.name == "1" and share == 0.2:  # while the first one is still trained
            url = f"sqlite:///{tmp_path / 'out' / 'study.db'}"
            study = optuna.load_study(study_name="out", storage=url)
            failed = study.tell(0, state=optuna.trial.TrialState.FAIL)
            optuna.storages.RetryHeartbeatStaleTrialCallback()(study, failed)
        return {"0": 0.9, "1": 0.1}.get(run.path.name, 0.5)

    with quiet_optuna():
        train_as(accuracy)
        result = sweep("--trials", 4, "--places", 2, *LONG)
    assert result.code == 0, result.err
    lost = "trial 0: it was declared dead, and is tried again as another trial; "
    assert result.out.count(lost) == 1
    assert [trial.state.name for trial in trials(tmp_path)[:2]] == ["FAIL", "PRUNED"]
    retry = trials(tmp_path)[2]
    assert retry.params == trials(tmp_path)[0].params
    assert retry.user_attrs["run"] == 2
    assert retry.state.name == "COMPLETE"
    assert "Trial 2 (trial 0, tried again) is the preset itself" in result.out
    assert read_run(tmp_path / "out", 2)["config"] == read_run(tmp_path / "out", 0)["config"]
    assert sum(state in ("COMPLETE", "PRUNED") for state in state_names(tmp_path)) == 4


def test_a_stopped_sweep_continues_its_unfinished_trials(sweep, train_as, tmp_path):
    train_as(by_rate, evaluations=3)
    result = sweep("--trials", 4, "--places", 2, *LONG)
    assert result.code == 130, result.err
    assert (
        "0 of 4 trials are done. Continue with: python experiments/sweep.py --preset" in result.out
    )
    assert state_names(tmp_path)[:2] == ["FAIL", "FAIL"]
    begun = [trial.params for trial in trials(tmp_path)[:2]]
    fake = train_as(by_rate)
    assert sweep("--trials", 4, "--places", 2, *LONG).code == 0
    assert {run.path.name for run in fake.calls[0][:2]} == {"0", "1"}
    again = [trial for trial in trials(tmp_path)[2:4]]
    assert [trial.params for trial in again] == begun
    assert sum(state in ("COMPLETE", "PRUNED") for state in state_names(tmp_path)) == 4
    assert (tmp_path / "out" / "best.toml").exists()


def test_trials_that_run_when_time_is_up_are_requeued(sweep, train_as, monkeypatch, tmp_path):
    now = [0.0]
    clock = types.SimpleNamespace(monotonic=lambda: now[0], sleep=time.sleep)
    monkeypatch.setattr(worker_module, "time", clock)

    def a_minute_each(run, share):
        now[0] += 60
        return 0.5  # equal, so that none is pruned

    fake = train_as(a_minute_each)
    result = sweep("--trials", 4, "--places", 2, *LONG)
    assert result.code == 0, result.err
    assert len(fake.calls) == 1
    assert "0 of 4 trials are done. Continue with" in result.out
    assert "No trial is complete yet." in result.out
    assert sorted(state_names(tmp_path)) == ["FAIL", "FAIL", "WAITING", "WAITING"]
    assert not (tmp_path / "out" / "best.toml").exists()


def test_a_finished_sweep_trains_only_when_more_trials_are_requested(sweep, train_as, tmp_path):
    train_as(by_rate)
    assert sweep("--trials", 3, "--places", 2, *LONG).code == 0
    fake = train_as(by_rate)
    assert sweep("--trials", 3, "--places", 2, *LONG).code == 0
    assert fake.calls == []
    assert sweep("--trials", 5, "--places", 2, *LONG).code == 0
    assert len(fake.calls[0]) == 2
