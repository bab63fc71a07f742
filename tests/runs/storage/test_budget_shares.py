"""The schedule of the learning rate follows the share of the budget that is done."""

import dataclasses
import itertools
import types

import pytest
from tiny_runs import make_coins_run, no_progress

from azjax.config.limits import Limits
from azjax.runs import slots
from azjax.runs.storage.budget_shares import BudgetShares, read_budget_shares
from azjax.runs.storage.restore import restore
from azjax.runs.storage.run_folders import shares_of_run
from azjax.runs.train import train_run
from azjax.support.errors import InputError
from azjax.training import AdamW


@pytest.fixture
def path(tmp_path):
    return tmp_path / "budget_shares.txt"


@pytest.fixture
def make_run(tmp_path, tiny_config):
    """Returns `make_run(name, limits)`, which makes a run of the coin game."""
    optimizer = AdamW(warmup_share=0.25)
    return lambda name, limits, shares=(): make_coins_run(
        tmp_path / name, tiny_config, limits, shares=shares, optimizer=optimizer
    )


def train(run):
    return train_run(run, no_progress()).rows[1:]


def begin(path, shares, iteration=0):
    """Begins iterations with these shares done; returns the shares that they run with."""
    file = BudgetShares(path, iteration)
    used = [file.begin(iteration + i, share) for i, share in enumerate(shares, start=1)]
    file.close()
    return used


def test_a_share_is_recorded_before_its_iteration(path):
    file = BudgetShares(path, 0)
    for iteration, share in enumerate((0.0, 0.125, 0.25), start=1):
        assert file.begin(iteration, share) == share
        assert read_budget_shares(path)[-1] == share
    file.close()


def test_recorded_shares_are_repeated_then_new_ones_follow(path):
    begin(path, [0.0, 0.1, 0.2, 0.3])
    assert begin(path, [0.9, 0.9, 0.9], iteration=2) == pytest.approx([0.2, 0.3, 0.9])


def test_a_raised_budget_never_lowers_the_share(path):
    begin(path, [0.0, 0.5])
    assert begin(path, [0.3, 0.4, 0.75], iteration=2) == [0.5, 0.5, 0.75]


def test_an_incomplete_last_line_is_left_out(path):
    begin(path, [0.0, 0.25])
    path.write_text(path.read_text() + "0.37")
    assert read_budget_shares(path) == [0.0, 0.25]


@pytest.mark.parametrize("text", ["0.5\nx\n", "1.5\n", "nan\n", "\xff\n"])
def test_a_damaged_file_is_refused(path, text):
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match=r"budget_shares\.txt (cannot be read|is damaged)"):
        BudgetShares(path, 0)


def test_a_run_without_its_shares_cannot_be_continued(path):
    begin(path, [0.0])
    with pytest.raises(InputError, match=r"played, but not continued: .* 1 of 3 iterations"):
        BudgetShares(path, 3)


def test_shares_of_iterations_are_exact_and_the_rate_follows(make_run):
    run = make_run("run", Limits(iterations=4))
    rows = train(run)
    assert [row["budget_share"] for row in rows] == [0.0, 0.25, 0.5, 0.75]
    for row in rows:
        expected = float(run.config.train.optimizer.rate(row["budget_share"]))
        assert row["learning_rate"] == pytest.approx(expected, rel=1e-5)


def test_a_raised_budget_never_raises_the_learning_rate(make_run):
    run = make_run("run", Limits(iterations=4))
    first = train(run)
    rows = train(dataclasses.replace(run, limits=Limits(iterations=6)))
    assert rows[:4] == first
    assert rows[4]["budget_share"] == 0.75  # 4 of 6 iterations are done
    assert [row["learning_rate"] for row in rows[4:]] <= [first[-1]["learning_rate"]] * 2
    assert rows[5]["budget_share"] == pytest.approx(5 / 6)


def test_a_run_of_minutes_is_repeated_by_its_shares(make_run, monkeypatch):
    clock = itertools.count(step=15.0)  # an iteration takes 15 seconds
    monkeypatch.setattr(slots, "time", types.SimpleNamespace(perf_counter=lambda: next(clock)))
    run = make_run("run", Limits(minutes=1.0))
    rows = train(run)
    shares = shares_of_run(run)
    assert shares == [0.0, 0.25, 0.5, 0.75]
    again = make_run("again", Limits(iterations=len(shares)), shares)
    assert [row["learning_rate"] for row in train(again)] == [row["learning_rate"] for row in rows]
    assert restore(again).fingerprint == restore(run).fingerprint
