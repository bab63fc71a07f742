"""Scores of trials: an accuracy, and a rating by the search and from the openings of all trials."""

import dataclasses
import types

import numpy as np
import pytest

import azjax.agents.agent as agent_module
import azjax.sweeps.objective as objective_module
from azjax.agents.engine_player import EngineSettings
from azjax.config.limits import Limits
from azjax.config.run_config import RunConfig
from azjax.evaluation import Accuracy, MatchResult, Shares
from azjax.runs.session import Outcome
from azjax.search import Gumbel
from azjax.sweeps.objective import score_accuracy, score_rating
from azjax.training import TrainConfig


@pytest.fixture
def match(monkeypatch):
    """Returns what the match of a rating was called with; no network is read or played."""
    called = {}

    def play_match(game, first, second, settings):
        called.update(player=first, settings=settings)
        return MatchResult(np.array([[1, 0], [0, -1]], np.int8))

    monkeypatch.setattr(objective_module, "play_match", play_match)
    return called


@pytest.mark.parametrize("seed", [0, 7])
def test_a_rating_is_by_the_common_search_from_the_common_openings(monkeypatch, match, seed):
    base, own = (
        RunConfig(TrainConfig(search=Gumbel(value_scale=scale, rescale_values=scale < 0.3)))
        for scale in (0.2, 0.5)
    )
    config = own.evaluated_as(base)
    source = agent_module._Source(config, {}, False, lambda network: (None, 1, []))
    monkeypatch.setattr(agent_module, "_find", lambda name: source)
    run = types.SimpleNamespace(path="trials/7", config=config, seed=seed, num_devices=1)
    assert np.isfinite(score_rating("random", EngineSettings())(run, None))
    assert match["settings"].seed == 0
    assert match["player"].parameters.search == base.evaluation_search.without_noise()


def score(limits, iteration, seconds=0.0, **changes):
    """Returns the score of a run that ended perfect, with changes to its accuracy."""
    half = Shares(50, network=1.0, search=1.0, random=0.5, choice_matters=0.8)
    accuracy = Accuracy(
        100, 1.0, 1.0, 0.5, 0.8, validation=half, test=half, exploitability=0.0, lines=None
    )
    accuracy = dataclasses.replace(accuracy, **changes)
    row = {"iteration": iteration, "seconds": seconds, "validation_accuracy": accuracy.search}
    rows = [row | {"validation_accuracy": 0.5}, row]  # the last one counts
    outcome = Outcome(rows, accuracy, seconds, was_interrupted=False)
    return score_accuracy(types.SimpleNamespace(limits=limits), outcome)


def test_a_perfect_trial_scores_more_the_sooner_it_is_perfect():
    limits = Limits(iterations=100)
    assert [score(limits, i) for i in (25, 50, 100)] == [1.75, 1.5, 1.0]
    assert score(Limits(minutes=2.0), 25, seconds=30.0) == 1.75


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"network": 0.98}, 1.0),  # a perfect search alone
        ({"search": 0.96, "exploitability": 0.5}, 0.96),
        ({"exploitability": None}, 1.0),  # a sample of the positions
    ],
)
def test_a_trial_that_is_not_perfect_scores_its_accuracy(changes, expected):
    assert score(Limits(iterations=100), 25, **changes) == expected
