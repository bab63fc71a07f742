"""A rating: the network of a trial plays with the search and from the openings of all trials."""

import dataclasses
import types

import numpy as np
import pytest

import azjax.agents.evaluated_agent as evaluated_agent_module
import azjax.sweeps.objective as objective_module
from azjax.agents.agent import Agent
from azjax.config.run_config import RunConfig
from azjax.evaluation import MatchResult, SearchAgent
from azjax.search import SearchConfig, SearchHyperparameters
from azjax.sweeps.objective import score_rating
from azjax.training import Hyperparameters, make_game_and_network


@pytest.fixture
def match(monkeypatch):
    """Returns what the match of a rating was called with; no network is read or played."""
    called = {}

    def load_agent(name, simulations, algorithm):
        game, network = make_game_and_network(RunConfig().train)
        config = SearchConfig(algorithm, simulations)
        own = SearchHyperparameters(value_scale=0.5)
        search_agent = SearchAgent(game, network, config, own)
        return Agent(name, search_agent, variables=None, iteration=1, warnings=[])

    def play_match(game, first, second, settings):
        called.update(player=first, settings=settings)
        return MatchResult(np.array([[1, 0], [0, -1]], np.int8))

    monkeypatch.setattr(evaluated_agent_module, "load_agent", load_agent)
    monkeypatch.setattr(objective_module, "play_match", play_match)
    return called


@pytest.mark.parametrize("seed", [0, 7])
def test_a_rating_is_by_the_common_search_from_the_common_openings(monkeypatch, match, seed):
    base = RunConfig(hparams=Hyperparameters(search=SearchHyperparameters(value_scale=0.2)))
    own = Hyperparameters(search=SearchHyperparameters(value_scale=0.5))
    config = dataclasses.replace(RunConfig(), hparams=own).evaluated_as(base)
    monkeypatch.setattr(evaluated_agent_module, "agent_config", lambda name: config)
    run = types.SimpleNamespace(path="trials/7", config=config, seed=seed, num_devices=1)
    assert np.isfinite(score_rating("random")(run, None))
    assert match["settings"].seed == 0
    assert match["player"].parameters.hyperparameters.value_scale == 0.2
    assert match["player"].act.config == base.evaluation_search
