"""A population over devices: games and replay are sharded, learners are replicated."""

import functools
from collections.abc import Callable
from typing import Any

import jax
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from azjax.support.machine.devices import AXIS
from azjax.training.config import TrainConfig
from azjax.training.hooks import list_parts
from azjax.training.population import iterate_population
from azjax.training.state import Replay, TrainState

_REPLICATED: Any = PartitionSpec()
_SHARDED_GAMES: Any = PartitionSpec(None, AXIS)  # [P, B, ...]
_SHARDED_REPLAY: Any = PartitionSpec(None, None, AXIS)  # [P, C, B, ...]


def _state_specs(config: TrainConfig) -> TrainState:
    """Returns the layout of the states [P, ...], as a prefix of their tree."""
    return TrainState(
        learner=_REPLICATED,
        best=_REPLICATED,
        games=_SHARDED_GAMES,
        replay=Replay(trajectory=_SHARDED_REPLAY, num_written=_REPLICATED),
        key=_REPLICATED,
        iteration=_REPLICATED,
        opponent=_REPLICATED,
        parts={part.name: _part_spec(part.games_axis) for part in list_parts(config, "init")},
    )


def _part_spec(games_axis: int | None) -> PartitionSpec:
    if games_axis is None:
        return _REPLICATED
    return PartitionSpec(None, *[None] * games_axis, AXIS)


def state_shardings(config: TrainConfig, mesh: Mesh) -> TrainState:
    """Returns the shardings of a population's states [P, ...], as a prefix of their tree."""
    return _map_specs(config, lambda spec: NamedSharding(mesh, spec))


def member_shardings(config: TrainConfig, mesh: Mesh) -> TrainState:
    """Returns the shardings of the state of one run, without P, as a prefix of its tree."""
    return _map_specs(config, lambda spec: NamedSharding(mesh, PartitionSpec(*spec[1:])))


def _map_specs(
    config: TrainConfig, make_sharding: Callable[[PartitionSpec], NamedSharding]
) -> TrainState:
    specs = _state_specs(config)
    return jax.tree.map(make_sharding, specs, is_leaf=lambda x: isinstance(x, PartitionSpec))


def compile_iteration(config: TrainConfig, mesh: Mesh, num_vmapped: int = 1) -> jax.stages.Wrapped:
    """Returns `iterate_population` jitted over the mesh, its states donated.

    It takes configurations whose numbers are [P], `is_active`, states and progress [P, ...], and
    returns states and metrics.

    Args:
      config: One like those configurations; its numbers do not matter.
      mesh: The devices.
      num_vmapped: As in `iterate_population`.

    Raises:
      ValueError: The games cannot be sharded over that many devices.
    """
    config.check_devices(mesh.size)
    specs = _state_specs(config)
    iterate = jax.shard_map(
        functools.partial(iterate_population, num_vmapped, axis_name=AXIS),
        mesh=mesh,
        in_specs=(_REPLICATED, _REPLICATED, specs, _REPLICATED),
        out_specs=(specs, _REPLICATED),
        check_vma=False,
    )
    return jax.jit(iterate, donate_argnums=2)
