"""The network of an agent as the one that a new run begins from, which may be larger.

A larger one has the same outputs. Growth into more blocks, channels or planes is as in Net2Net
(Chen et al. 2016, "Accelerating Learning via Knowledge Transfer"), but new units start as the units
of a fresh network do, except that no old unit reads them: those weights start at zero. So the old
units keep their values. A fresh block is the identity, so new blocks are fresh ones, after the old.
Tied weights stay tied: symmetries map new units to new units.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any

import jax
import numpy as np

from azjax.agents.agent import Agent
from azjax.games import Game
from azjax.networks import (
    ConvNetConfig,
    MLPConfig,
    ModelNetwork,
    Network,
    NetworkConfig,
    ResNetConfig,
    Variables,
    ties_weights,
)
from azjax.runs.storage.orbax_folder import fingerprint
from azjax.runs.storage.run_directory import InitialAgent, InitialNetwork
from azjax.support.errors import InputError, input_errors
from azjax.training import TrainConfig, make_game_and_network
from azjax.training.symmetries import board_symmetries, init_variables

_HEAD_SIZES = ("policy_planes", "value_planes", "value_features")
# The sizes that may grow; the sizes of other networks may not.
_SIZES_OF: dict[type[NetworkConfig], tuple[str, ...]] = {
    MLPConfig: ("channels", "blocks"),
    ConvNetConfig: ("channels", *_HEAD_SIZES),
    ResNetConfig: ("channels", "blocks", *_HEAD_SIZES),
}
# The fields of other networks that are no sizes.
_NO_SIZES = ("value_head", "equivariant", "precision")


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


def check_growth(before: Network, after: Network) -> None:
    """Raises ValueError unless one network can grow into another.

    It cannot shrink, and keeps its kind, its kind of value and its normalization; a policy alone
    may begin to predict values. Layer normalization mixes all channels, so with it their number
    stays too. Auxiliary heads change no policy and no value, so any may be added or left out.
    Global pooling, which starts at zero, may be added.
    """
    old, new = before.config, after.config
    norm = getattr(old, "norm", None)
    _check_kept("name", old.name, new.name)
    if old.value_head != "none":
        _check_kept("value_head", old.value_head, new.value_head)
    _check_kept("norm", norm, getattr(new, "norm", None))
    if not old.equivariant:
        _check_kept("equivariant", False, new.equivariant)
    if old.pools_value:
        _check_kept("global_pooling", True, new.pools_value)
    sizes, larger = _sizes(old), _sizes(new)
    can_grow = {*_SIZES_OF.get(type(old), ())}
    if norm == "layer":
        can_grow -= {"channels"}  # the mean and the variance are of all channels
    unfit = [
        name
        for name, size in larger.items()
        if size != sizes.get(name, size) and (name not in can_grow or size < sizes[name])
    ]
    if unfit:
        found = ", ".join(f"network.{name}={larger[name]!r}" for name in unfit)
        needed = ", ".join(
            f"{sizes[name]!r}{' or more' if name in can_grow else ''}" for name in unfit
        )
        raise ValueError(f"{found}: must be {needed}, as in the agent")


def describe_growth(before: Network, after: Network) -> str:
    """Returns what changes, as in `channels 32 to 64, blocks 3 to 5`; "" if nothing does."""
    old, new = before.config, after.config
    sizes = _sizes(old)
    changes = [
        f"{name.replace('_', ' ')} {sizes[name]} to {size}"
        for name, size in _sizes(new).items()
        if size != sizes.get(name, size)
    ]
    if old.pools_value != new.pools_value:
        changes.append("global pooling")
    if old.value_head != new.value_head:
        changes.append("a value head")
    if _heads(before) != _heads(after):
        heads = (" and ".join(_heads(x)) or "none" for x in (before, after))
        changes.append("auxiliary heads {} to {}".format(*heads))
    return ", ".join(changes)


def grow(before: Network, variables: Variables, after: Network, fresh: Variables) -> Variables:
    """Returns variables of a larger network with the outputs of a smaller one, to rounding.

    Args:
      before: The smaller network.
      variables: Its variables.
      after: The larger network, which `check_growth` accepts.
      fresh: Initial variables of the larger network: the values of the new units.
    """
    known = dict(jax.tree.leaves_with_path(variables))
    planes_read = {"policy_logits": "policy_planes", "value_hidden": "value_planes"}
    planes_read |= {head.name: "policy_planes" for head in after.heads if head.outputs == "actions"}

    def grow_array(path: jax.tree_util.KeyPath, array: jax.Array) -> np.ndarray:
        if path not in known:  # of blocks or heads that the smaller network does not have
            return np.asarray(array)
        configs = before.config, after.config
        return _grow_array(*configs, planes_read, path, np.asarray(known[path]), np.array(array))

    return jax.tree.map_with_path(grow_array, fresh)


def _check_kept(name: str, wanted: Any, given: Any) -> None:
    if wanted != given:
        raise ValueError(f"network.{name}={given!r}: must be {wanted!r}, as in the agent")


def _heads(network: Network) -> list[str]:
    """Returns the names of the auxiliary heads, and of the head of a learnt model."""
    has_consistency = isinstance(network, ModelNetwork) and network.has_consistency
    return [head.name for head in network.heads] + ["consistency"] * has_consistency


def _sizes(config: NetworkConfig) -> dict[str, Any]:
    """Returns the sizes that matter to the kind of network."""
    known = _SIZES_OF.get(type(config))
    fields = (field.name for field in dataclasses.fields(config))
    names = known or [name for name in fields if name not in _NO_SIZES]
    sizes = {name: getattr(config, name) for name in names}
    if "value_features" in sizes:
        sizes["value_features"] = config.value_features or config.channels
    has_value = config.value_head != "none"
    return {name: size for name, size in sizes.items() if has_value or name not in _HEAD_SIZES[1:]}


def _grow_array(
    old: NetworkConfig,
    new: NetworkConfig,
    planes_read: Mapping[str, str],
    path: jax.tree_util.KeyPath,
    array: np.ndarray,
    fresh: np.ndarray,
) -> np.ndarray:
    """Returns a fresh array with a smaller one in the places of the old units; changes `fresh`.

    `planes_read` are the planes of a head all of whose cells a layer reads, by the layer.
    """
    *parents, layer, name = (key.key for key in path if isinstance(key, jax.tree_util.DictKey))
    places = [np.arange(size) for size in array.shape]
    if layer == "planes":  # the planes of the policy head come before the value head's
        places[-1] = _places_of_two(places[-1], old.policy_planes, new.policy_planes)
    if name == "kernel":
        inputs = 1 if "blocks" in parents else 0  # a tower's arrays have an axis of blocks before
        everywhere = np.arange(fresh.shape[inputs])
        fresh[np.ix_(*places[:inputs], everywhere, *places[inputs + 1 :])] = 0
        places[inputs] = _input_places(old, new, planes_read.get(layer), layer, places[inputs])
    fresh[np.ix_(*places)] = array
    return fresh


def _input_places(
    old: NetworkConfig, new: NetworkConfig, planes_read: str | None, layer: str, units: np.ndarray
) -> np.ndarray:
    """Returns where a layer's inputs are in the larger network."""
    if layer == "pooled":  # the means of all channels come before the maxima
        return _places_of_two(units, old.channels, new.channels)
    if planes_read is None or isinstance(old, MLPConfig):
        return units
    before, after = getattr(old, planes_read), getattr(new, planes_read)
    cells, planes = np.divmod(units, before)
    return cells * after + planes


def _places_of_two(units: np.ndarray, before: int, after: int) -> np.ndarray:
    """Returns where the units of two groups are once the first has grown from `before` units."""
    return np.where(units < before, units, units + after - before)
