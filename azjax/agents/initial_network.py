"""The network of an agent as the one that a new run begins from."""

import dataclasses
from typing import Any

import jax
import numpy as np

from azjax.agents.agent import Agent
from azjax.games import Game
from azjax.networks import ModelNetwork, Network, Variables, ties_weights
from azjax.runs.storage.orbax_folder import fingerprint
from azjax.runs.storage.run_directory import InitialAgent, InitialNetwork
from azjax.support.errors import InputError, input_errors
from azjax.training import TrainConfig, make_game_and_network
from azjax.training.symmetries import board_symmetries, init_variables

_OF_VALUES = {"value_head", "value_planes", "value_features"}  # fields of a network


def initial_network(agent: Agent, config: TrainConfig, seed: int) -> InitialNetwork:
    """Returns the network that a run begins from: an agent's, maybe with other heads.

    A policy may begin to predict values, and auxiliary heads may differ; the run's seed samples the
    weights of new heads. All other outputs stay as they are.

    Raises:
      InputError: The agent plays a game of other observations or actions, or its network differs
        from the run's, or ties its weights otherwise.
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
    added = describe_added(before, network)
    with input_errors(f"init_from {agent.name}"):
        check_fits(before, network)
        _check_model(before, network, added)
        _check_ties(agent.game, game, network)
    variables = agent.variables
    if added:
        init = jax.jit(init_variables, static_argnums=(0, 1))
        variables = with_heads(variables, init(game, network, jax.random.key(seed)))
    about = InitialAgent(
        name=agent.name,
        game=agent.game.name,
        iteration=agent.iteration,
        commit=agent.commit,
        sha256=fingerprint(agent.variables),
        grown=added,
        was_chosen=agent.was_chosen,
    )
    return InitialNetwork(about, variables)


def check_fits(before: Network, after: Network) -> None:
    """Raises ValueError unless a network is like another one, but for new heads and ties."""
    old, new = before.config, after.config
    _check_kept("name", old.name, new.name)
    may_differ = {"precision"}
    if old.equivariant:
        may_differ |= {"equivariant"}
    if old.value_head == "none":
        may_differ |= _OF_VALUES
    for field in dataclasses.fields(old):
        if field.name not in may_differ:
            _check_kept(field.name, getattr(old, field.name), getattr(new, field.name))


def describe_added(before: Network, after: Network) -> str:
    """Returns which heads differ, as in `auxiliary heads none to ownership`; "" if none does."""
    changes = []
    if before.config.value_head != after.config.value_head:
        changes.append("a value head")
    if _heads(before) != _heads(after):
        heads = (" and ".join(_heads(x)) or "none" for x in (before, after))
        changes.append("auxiliary heads {} to {}".format(*heads))
    return ", ".join(changes)


def with_heads(variables: Variables, fresh: Variables) -> Variables:
    """Returns the variables of a network with other heads, whose own are fresh."""
    known = dict(jax.tree.leaves_with_path(variables))

    def keep(path: jax.tree_util.KeyPath, array: jax.Array) -> np.ndarray:
        if path not in known:
            return np.asarray(array)
        # The planes of the policy head come before those of a new value head.
        old = np.asarray(known[path])
        return np.concatenate([old, np.asarray(array)[..., old.shape[-1] :]], axis=-1)

    return jax.tree.map_with_path(keep, fresh)


def _check_kept(name: str, wanted: Any, given: Any) -> None:
    if wanted != given:
        raise ValueError(f"network.{name}={given!r}: must be {wanted!r}, as in the agent")


def _check_model(before: Network, network: Network, added: str) -> None:
    """Raises ValueError where one network has a learnt model and the other none, or another."""
    if type(before) is not type(network):
        kinds = ("with" if isinstance(x, ModelNetwork) else "without" for x in (before, network))
        raise ValueError("its network is {} a learnt model, and the run's is {}".format(*kinds))
    if isinstance(network, ModelNetwork) and added:
        raise ValueError("the heads of a network with a learnt model must be the run's")


def _check_ties(before: Game, game: Game, network: Network) -> None:
    """Raises ValueError where the network ties weights that the agent's game did not tie."""
    own, other = (jax.tree.map(np.asarray, board_symmetries(x)) for x in (game, before))
    is_same = jax.tree.all(jax.tree.map(np.array_equal, own, other))
    if ties_weights(network.config, own) and not is_same:
        raise ValueError(
            f"network.equivariant=True: must be False, as {before.name} has other symmetries than "
            f"{game.name}"
        )


def _heads(network: Network) -> list[str]:
    """Returns the names of the auxiliary heads, and of the head of a learnt model."""
    has_consistency = isinstance(network, ModelNetwork) and network.has_consistency
    return [head.name for head in network.heads] + ["consistency"] * has_consistency
