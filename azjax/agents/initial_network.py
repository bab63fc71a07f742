"""The network of an agent as the one that a new run begins from."""

import jax

from azjax.agents.agent import Agent
from azjax.networks import ModelNetwork, Network, Variables, check_growth, describe_growth, grow
from azjax.runs.storage.checkpoints import fingerprint
from azjax.runs.storage.initial_agent import InitialAgent, InitialNetwork
from azjax.support.errors import InputError, input_errors
from azjax.training import TrainConfig, make_game_and_network
from azjax.training.learning.equivariance import init_variables


def initial_network(agent: Agent, config: TrainConfig, seed: int) -> InitialNetwork:
    """Returns the network that a run begins from: an agent's, grown to the run's sizes.

    Args:
      agent: The agent.
      config: The configuration of the run.
      seed: The run's seed, which samples what a larger network has more.

    Raises:
      InputError: The agent plays a game of other observations or actions, or its network cannot
        grow into the run's.
    """
    before = agent.network
    game, network = make_game_and_network(config)
    if before.observation_shape != network.observation_shape or (
        before.num_actions != network.num_actions
    ):
        raise InputError(
            f"init_from {agent.name}: it plays {agent.game.name}, whose observations or actions "
            f"are not those of {game.name}; begin from an agent of {game.name}"
        )
    with input_errors(f"init_from {agent.name}"):
        check_growth(before.config, network.config)
        _check_kind(before, network)
    growth = describe_growth(before.config, network.config)
    variables = agent.variables
    if growth:
        fresh: Variables = jax.jit(init_variables, static_argnums=(0, 1))(
            game, network, jax.random.key(seed)
        )
        variables = grow(before.config, variables, network.config, fresh)
    return InitialNetwork(_record(agent, growth), variables)


def _check_kind(before: Network, network: Network) -> None:
    """Raises ValueError where one network has a learnt model and the other none, or another."""
    if type(before) is not type(network):
        kinds = ("with" if isinstance(x, ModelNetwork) else "without" for x in (before, network))
        raise ValueError("its network is {} a learnt model, and the run's is {}".format(*kinds))
    if isinstance(network, ModelNetwork) and describe_growth(before.config, network.config):
        raise ValueError("a network with a learnt model cannot grow: its sizes must be the run's")


def _record(agent: Agent, growth: str) -> InitialAgent:
    return InitialAgent(
        name=agent.name,
        game=agent.game.name,
        iteration=agent.iteration,
        commit=agent.commit,
        sha256=fingerprint(agent.variables),
        grown=growth,
        was_chosen=agent.was_chosen,
    )
