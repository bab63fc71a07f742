"""A population over devices: games and replay are sharded, learners are replicated."""

import functools
from collections.abc import Callable

import chex
import jax
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from azjax.support.devices import AXIS
from azjax.training.config import Hyperparameters, TrainConfig
from azjax.training.metrics import Metrics
from azjax.training.population import iterate_population
from azjax.training.state import Replay, TrainState

# A prefix of the tree [P, ...] of states: games and replay are sharded along the axis of games.
_STATES = TrainState(
    learner=PartitionSpec(),
    champion=PartitionSpec(),
    games=PartitionSpec(None, AXIS),
    replay=Replay(trajectory=PartitionSpec(None, None, AXIS), num_written=PartitionSpec()),
    key=PartitionSpec(),
    iteration=PartitionSpec(),
)


def state_shardings(mesh: Mesh) -> TrainState:
    """Returns the shardings of a population's states [P, ...], as a prefix of their tree."""
    return jax.tree.map(
        lambda spec: NamedSharding(mesh, spec),
        _STATES,
        is_leaf=lambda x: isinstance(x, PartitionSpec),
    )


def compile_iteration(
    config: TrainConfig, mesh: Mesh, num_vmapped: int = 1
) -> Callable[[Hyperparameters, chex.Array, TrainState], tuple[TrainState, Metrics]]:
    """Returns `iterate_population` jitted over the mesh; it donates its states.

    Raises:
      ValueError: The games cannot be sharded over that many devices.
    """
    config.check_devices(mesh.size)
    iterate = jax.shard_map(
        functools.partial(iterate_population, config, num_vmapped, axis_name=AXIS),
        mesh=mesh,
        in_specs=(PartitionSpec(), PartitionSpec(), _STATES),
        out_specs=(_STATES, PartitionSpec()),
        check_vma=False,
    )
    return jax.jit(iterate, donate_argnums=2)
