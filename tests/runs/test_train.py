"""Training of a single run from Python."""

import dataclasses

import pytest
from tiny_runs import make_coins_run, no_progress, train_run

import azjax.evaluation.players.player as players_module
from azjax.config.limits import Limits
from azjax.evaluation import all_positions
from azjax.games import make
from azjax.runs.storage.run_description import read_description
from azjax.runs.train import warm_up
from azjax.support.errors import RunError
from azjax.training import AdamW


@pytest.fixture
def make_run(tmp_path, tiny_config):
    """Returns `make_run(iterations, ...)`, which makes a run of the coin game."""

    def call(iterations, **settings):
        limits = Limits(iterations=iterations)
        return make_coins_run(tmp_path / "run", tiny_config, limits, **settings)

    return call


def test_a_run_ends_at_its_limit_and_can_be_continued_and_no_session_that_trains_nothing_is_kept(
    make_run,
):
    run = make_run(2)
    outcome = train_run(run, no_progress())
    assert [row["iteration"] for row in outcome.rows] == [0, 1, 2]
    assert outcome.accuracy.positions > 0
    assert not outcome.was_interrupted
    longer = dataclasses.replace(run, limits=Limits(None, 3))
    again = train_run(longer, no_progress())
    assert again.rows[:3] == outcome.rows
    assert [row["iteration"] for row in again.rows] == [0, 1, 2, 3]
    sessions = read_description(run.path)["sessions"]
    train_run(dataclasses.replace(run, limits=Limits(None, 1)), no_progress())
    ended = read_description(run.path)
    assert (ended["limits"]["iterations"], ended["sessions"]) == (1, sessions)


def test_an_evaluation_after_warm_up_traces_nothing_more(make_run, monkeypatch):
    traced = []
    act = players_module.search

    def record(*arguments, **settings):
        traced.append(arguments)
        return act(*arguments, **settings)

    monkeypatch.setattr(players_module, "search", record)
    run = make_run(1)
    config = dataclasses.replace(run.config, evaluation_simulations=3)  # traced nowhere else
    run = dataclasses.replace(run, config=config)
    warm_up(run, all_positions(make("coins")))
    in_warm_up = len(traced)
    assert in_warm_up > 0
    train_run(run, no_progress())
    assert len(traced) == in_warm_up


def test_a_failure_is_raised(make_run):
    with pytest.raises(RunError, match="not finite"):
        train_run(make_run(3, optimizer=AdamW(learning_rate=1e30)), no_progress())
