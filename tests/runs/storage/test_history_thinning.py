"""Which networks are kept, over whole runs."""

import dataclasses
import itertools
import math

import pytest
from tiny_runs import make_coins_run, no_progress, train_run

from azjax.config.limits import Limits
from azjax.runs.storage import network_history
from azjax.runs.storage.checkpoints import saved_iterations
from azjax.runs.storage.metrics_log import read_metrics
from azjax.runs.storage.network_history import to_keep


def history(iterations, evaluate_every, kept=()):
    """Returns the history of a run that keeps what it may after each evaluation."""
    for iteration in iterations:
        kept = to_keep({*kept, iteration}, evaluate_every)
    return kept


def evaluations(until, evaluate_every, others=()):
    return sorted({*range(0, until + 1, evaluate_every), *others, until})


@pytest.mark.parametrize("evaluate_every", [1, 30])
def test_few_of_many_are_kept_and_gaps_grow_with_age(evaluate_every):
    for count in (100, 1_000, 30_000):
        kept = sorted(to_keep(range(0, evaluate_every * count, evaluate_every), evaluate_every))
        assert len(kept) <= 20 + 4 * math.log2(count)
        newest = evaluate_every * (count - 1)
        assert kept[0] == 0
        assert kept[-20:] == list(range(newest - 19 * evaluate_every, newest + 1, evaluate_every))
        for older, younger in itertools.pairwise(kept):
            assert younger - older <= max(evaluate_every, (newest - older) / 2)


def test_what_is_dropped_is_not_missed_later():
    """Thinning after each evaluation gives what thinning the whole history at its end gives."""
    iterations = evaluations(1003, 10, (125, 251, 377, 503, 629, 755, 881))
    kept = set()
    for count, iteration in enumerate(iterations, start=1):
        kept = to_keep({*kept, iteration}, 10)
        assert kept == to_keep(iterations[:count], 10)


@pytest.mark.parametrize("checkpoint", [0, 350])
def test_a_resumed_run_keeps_what_the_uninterrupted_one_does(checkpoint):
    iterations = evaluations(1000, 10, others=(125, 375, 625, 875))
    killed = history([i for i in iterations if i <= 600], 10)
    restored = {i for i in killed if i <= checkpoint}
    resumed = history([i for i in iterations if i > checkpoint], 10, restored)
    assert resumed == history(iterations, 10)


def test_the_best_is_kept_as_long_as_it_is_the_best():
    iterations = range(0, 1000, 10)
    assert 330 not in to_keep(iterations, 10)
    assert to_keep(iterations, 10, best=330) == to_keep(iterations, 10) | {330}
    assert to_keep(iterations, 10, best=5) == to_keep(iterations, 10)  # there is no such network


@pytest.fixture
def train(tmp_path, tiny_config, monkeypatch):
    """Returns `train(run, iterations)`; only the last two networks need to be kept."""
    monkeypatch.setattr(network_history, "_NEWEST", 2)
    monkeypatch.setattr(network_history, "_SPAN", 1)

    def call(run, iterations):
        run = dataclasses.replace(run, limits=Limits(None, iterations))
        train_run(run, no_progress())
        return saved_iterations(run.history)

    return call


@pytest.fixture
def make_run(tmp_path, tiny_config):
    return lambda **settings: make_coins_run(
        tmp_path / "run", tiny_config, Limits(None, 1), **settings
    )


def test_a_run_keeps_the_first_the_last_the_best_and_few_others(make_run, train):
    run = make_run()
    kept = train(run, 7)
    rows = read_metrics(run.metrics)[:-1]  # the last network is kept in any case
    best = max(rows, key=lambda row: row["validation_accuracy"])["iteration"]
    assert kept == sorted({0, best, 4, 6, 7})
