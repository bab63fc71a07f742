"""The network of an agent as the one that a new run begins from."""

import jax
import numpy as np

from azjax.agents.agent import Agent
from azjax.agents.growth import check_growth, describe_growth, grow
from azjax.games import Game
from azjax.networks import ModelNetwork, Network, Variables, ties_weights
from azjax.runs.storage.orbax_folder import fingerprint
from azjax.runs.storage.run_directory import InitialAgent, InitialNetwork
from azjax.support.errors import InputError, input_errors
from azjax.training import TrainConfig, make_game_and_network
from azjax.training.symmetries import board_symmetries, init_variables


def initial_network(agent: Agent, config: TrainConfig, seed: int) -> InitialNetwork:
    """Returns the network that a run begins from: an agent's, grown to the run's sizes.

    Growth changes no output. The run's seed samples new weights.

    Raises:
      InputError: The agent plays a game of other observations or actions, or its network cannot
        grow into the run's, or ties its weights otherwise.
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
        check_growth(before, network)
        _check_kind(before, network)
        _check_ties(agent.game, game, network)
    variables = agent.variables
    growth = describe_growth(before, network)
    if growth:
        fresh: Variables = jax.jit(init_variables, static_argnums=(0, 1))(
            game, network, jax.random.key(seed)
        )
        variables = grow(before, variables, network, fresh)
    about = InitialAgent(
        name=agent.name,
        game=agent.game.name,
        iteration=agent.iteration,
        commit=agent.commit,
        sha256=fingerprint(agent.variables),
        grown=growth,
        was_chosen=agent.was_chosen,
    )
    return InitialNetwork(about, variables)


def _check_kind(before: Network, network: Network) -> None:
    """Raises ValueError where one network has a learnt model and the other none, or another."""
    if type(before) is not type(network):
        kinds = ("with" if isinstance(x, ModelNetwork) else "without" for x in (before, network))
        raise ValueError("its network is {} a learnt model, and the run's is {}".format(*kinds))
    if isinstance(network, ModelNetwork) and describe_growth(before, network):
        raise ValueError("a network with a learnt model cannot grow: its sizes must be the run's")


def _check_ties(before: Game, game: Game, network: Network) -> None:
    """Raises ValueError where the network ties weights that the agent's game did not tie."""
    own, other = (jax.tree.map(np.asarray, board_symmetries(x)) for x in (game, before))
    is_same = jax.tree.all(jax.tree.map(np.array_equal, own, other))
    if ties_weights(network.config, own) and not is_same:
        raise ValueError(
            f"network.equivariant=True: must be False, as {before.name} has other symmetries than "
            f"{game.name}"
        )
