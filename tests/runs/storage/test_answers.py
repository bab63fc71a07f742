"""The answers of a run's evaluations: recorded where positions are sampled, and found again."""

import dataclasses

import numpy as np
import pytest
from tiny_runs import make_coins_run, no_progress, train_run

from azjax.config.limits import Limits
from azjax.evaluation import Answers, all_positions
from azjax.games import make
from azjax.runs.storage.answers import append_answers, read_answers
from azjax.support.errors import InputError


def random_answers(seed, size=21):
    return Answers(*(np.random.default_rng(seed).random((2, size)) < 0.5))


@pytest.fixture
def written(tmp_path):
    """Returns a file with the answers of three iterations."""
    path = tmp_path / "answers.jsonl"
    for iteration in (0, 4, 8):
        append_answers(path, iteration, random_answers(iteration))
    return path


def test_answers_are_read_by_iteration(written):
    found = read_answers(written)
    assert list(found) == [0, 4, 8]
    np.testing.assert_array_equal(found[4], random_answers(4))
    assert read_answers(written.with_name("none")) == {}


def test_damaged_answers_are_told_in_one_line(written):
    written.write_text(f'{{"iteration": 1, "network": "9:0"}}\n{written.read_text()}')
    with pytest.raises(InputError, match=r"answers.jsonl cannot be read: .*; delete it"):
        read_answers(written)


@pytest.fixture
def coins(tmp_path, tiny_config):
    """Returns `coins(iterations)`, a run of the coin game, which it makes the first time."""
    run = make_coins_run(tmp_path / "run", tiny_config, Limits(iterations=1))
    return lambda iterations: dataclasses.replace(run, limits=Limits(iterations=iterations))


def train(run, positions=None):
    return train_run(run, no_progress(), positions)


def test_a_run_records_the_answers_of_every_evaluation(coins):
    run, sample = coins(2), all_positions(make("coins"))._replace(is_complete=False)
    outcome = train(run, sample)
    found = read_answers(run.answers)
    assert [row["iteration"] for row in outcome.rows] == list(found) == [0, 1, 2]
    for row, answers in zip(outcome.rows, found.values(), strict=True):
        assert row["accuracy_network"] == answers.network.mean()
        assert row["accuracy_search"] == answers.search.mean()
    np.testing.assert_array_equal(outcome.accuracy.answers, found[2])
    append_answers(run.answers, 3, random_answers(3, size=9))  # after the checkpoint
    again = train(coins(3), sample)
    np.testing.assert_array_equal(read_answers(run.answers)[3], again.accuracy.answers)
