"""Networks with a learnt model and without: which may begin from which."""

import dataclasses
import re

import pytest

from azjax.agents.agent import Agent
from azjax.agents.initial_network import initial_network
from azjax.evaluation import SearchAgent
from azjax.games import Symmetries
from azjax.games.mnk import Mnk
from azjax.networks import ResNetConfig, Variables
from azjax.search import Gumbel
from azjax.support.errors import InputError
from azjax.training import MuZero, TrainConfig, make_game_and_network

PLAIN = TrainConfig("tic_tac_toe", network=ResNetConfig(channels=8, blocks=1))
MUZERO = dataclasses.replace(PLAIN, algorithm=MuZero())


def agent_of(config):
    """Returns an agent whose network has no variables yet."""
    search_agent = SearchAgent(*make_game_and_network(config), Gumbel())
    return Agent("runs/mine", search_agent, Variables({}, {}), iteration=3, warnings=[])


def with_network(config, **sizes):
    return dataclasses.replace(config, network=dataclasses.replace(config.network, **sizes))


@pytest.mark.parametrize(
    ("before", "config", "message"),
    [
        (PLAIN, MUZERO, "its network is without a learnt model, and the run's is with"),
        (MUZERO, PLAIN, "its network is with a learnt model, and the run's is without"),
        (
            MUZERO,
            dataclasses.replace(MUZERO, algorithm=MuZero(consistency=True)),
            "the heads of a network with a learnt model must be the run's",
        ),
    ],
)
def test_a_learnt_model_that_does_not_fit_is_refused(before, config, message):
    with pytest.raises(InputError, match=f"^{re.escape(f'init_from runs/mine: {message}')}$"):
        initial_network(agent_of(before), config, seed=0)


class WithoutSymmetries(Mnk):
    @property
    def symmetries(self):
        return Symmetries(*(one[:1] for one in super().symmetries))


def test_weights_that_the_agent_did_not_tie_are_not_taken_for_tied_ones():
    equivariant = with_network(PLAIN, equivariant=True, policy_planes=8, value_planes=8)
    agent = agent_of(equivariant)
    found = initial_network(agent, equivariant, seed=0)
    assert found.variables is agent.variables
    untied = dataclasses.replace(agent.search_agent, game=WithoutSymmetries(3, 3, 3, "mine"))
    agent = dataclasses.replace(agent, search_agent=untied)
    message = "network.equivariant=True: must be False, as mine has other symmetries than tic_tac"
    with pytest.raises(InputError, match=f"^init_from runs/mine: {message}"):
        initial_network(agent, equivariant, seed=0)
    initial_network(agent, with_network(equivariant, equivariant=False), seed=0)


@pytest.mark.parametrize("config", [PLAIN, MUZERO], ids=lambda config: config.algorithm.name)
def test_a_network_of_the_same_kind_and_sizes_is_taken_as_it_is(config):
    agent = agent_of(config)
    found = initial_network(agent, config, seed=0)
    assert found.variables is agent.variables
    assert found.agent.grown == ""
