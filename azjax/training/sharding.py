"""A population over devices: games and replay are sharded, learners are replicated."""

import functools
from collections.abc import Callable
from typing import Any

import jax
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from azjax.support.machine.devices import AXIS
from azjax.training.config import TrainConfig
from azjax.training.population import iterate_population
from azjax.training.state import Replay, TrainState

_REPLICATED: Any = PartitionSpec()
_SHARDED_GAMES: Any = PartitionSpec(None, AXIS)  # [P, B, ...]
_SHARDED_REPLAY: Any = PartitionSpec(None, None, AXIS)  # [P, C, B, ...]

# A prefix of the tree [P, ...] of states.
_STATES = TrainState(
    learner=_REPLICATED,
    champion=_REPLICATED,
    games=_SHARDED_GAMES,
    replay=Replay(trajectory=_SHARDED_REPLAY, num_written=_REPLICATED),
    key=_REPLICATED,
    iteration=_REPLICATED,
    frozen=_REPLICATED,
)


def state_shardings(mesh: Mesh) -> TrainState:
    """Returns the shardings of a population's states [P, ...], as a prefix of their tree."""
    return _map_specs(lambda spec: NamedSharding(mesh, spec))


def member_shardings(mesh: Mesh) -> TrainState:
    """Returns the shardings of the state of one run, without P, as a prefix of its tree."""
    return _map_specs(lambda spec: NamedSharding(mesh, PartitionSpec(*spec[1:])))


def _map_specs(make_sharding: Callable[[PartitionSpec], NamedSharding]) -> TrainState:
    return jax.tree.map(make_sharding, _STATES, is_leaf=lambda x: isinstance(x, PartitionSpec))


def compile_iteration(config: TrainConfig, mesh: Mesh, num_vmapped: int = 1) -> jax.stages.Wrapped:
    """Returns `iterate_population` jitted over the mesh, its states donated.

    It takes hyperparameters, `is_active`, states and budget shares [P, ...], and returns states and
    metrics.

    Raises:
      ValueError: The games cannot be sharded over that many devices.
    """
    config.check_devices(mesh.size)
    iterate = jax.shard_map(
        functools.partial(iterate_population, config, num_vmapped, axis_name=AXIS),
        mesh=mesh,
        in_specs=(_REPLICATED, _REPLICATED, _STATES, _REPLICATED),
        out_specs=(_STATES, _REPLICATED),
        check_vma=False,
    )
    return jax.jit(iterate, donate_argnums=2)
