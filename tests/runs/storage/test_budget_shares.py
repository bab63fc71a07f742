"""The schedule of the learning rate follows the share of the budget that is done."""

import dataclasses
import itertools
import shutil
import types

import pytest
from tiny_runs import make_coins_run, no_progress, train_run

from azjax.config.limits import Limits
from azjax.runs import slots
from azjax.runs.storage.checkpoints import restore
from azjax.runs.storage.run_folders import shares_of_run
from azjax.training import AdamW

pytestmark = pytest.mark.slow


@pytest.fixture
def make_run(tmp_path, tiny_config):
    """Returns `make_run(name, limits)`, which makes a run of the coin game."""
    optimizer = AdamW(warmup_share=0.25)
    return lambda name, limits, shares=(): make_coins_run(
        tmp_path / name, tiny_config, limits, shares=shares, optimizer=optimizer
    )


def train(run):
    return train_run(run, no_progress()).rows[1:]


def test_a_run_that_is_killed_repeats_the_shares_of_its_rows(make_run):
    run = make_run("run", Limits(iterations=4), (0.0, 0.5))
    assert [row["budget_share"] for row in train(run)] == [0.0, 0.5, 0.5, 0.75]
    shutil.rmtree(run.checkpoints / "4")
    longer = dataclasses.replace(run, limits=Limits(iterations=8))
    assert [row["budget_share"] for row in train(longer)] == [0.0, 0.5, 0.5, *[0.75] * 4, 0.875]


def test_a_raised_budget_never_raises_the_learning_rate(make_run):
    run = make_run("run", Limits(iterations=4))
    first = train(run)
    rows = train(dataclasses.replace(run, limits=Limits(iterations=6)))
    assert rows[:4] == first
    assert [row["budget_share"] for row in first] == [0.0, 0.25, 0.5, 0.75]
    for row in first:
        expected = float(run.config.train.optimizer.rate(row["budget_share"]))
        assert row["learning_rate"] == pytest.approx(expected, rel=1e-5)
    assert rows[4]["budget_share"] == 0.75  # 4 of 6 iterations are done
    assert [row["learning_rate"] for row in rows[4:]] <= [first[-1]["learning_rate"]] * 2
    assert rows[5]["budget_share"] == pytest.approx(5 / 6)


def test_a_run_of_minutes_is_repeated_by_its_shares(make_run, monkeypatch):
    clock = itertools.count(step=15.0)  # an iteration takes 15 seconds
    monkeypatch.setattr(slots, "time", types.SimpleNamespace(perf_counter=lambda: next(clock)))
    run = make_run("run", Limits(minutes=1.0))
    rows = train(run)
    shares = shares_of_run(run)
    assert shares == (0.0, 0.25, 0.5, 0.75)
    again = make_run("again", Limits(iterations=len(shares)), shares)
    assert [row["learning_rate"] for row in train(again)] == [row["learning_rate"] for row in rows]
    assert restore(again).fingerprint == restore(run).fingerprint
