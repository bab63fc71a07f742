"""The iteration laid over devices: each plays its share of the games, all learn the same."""

import functools
from collections.abc import Callable

import jax
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from azjax.devices import AXIS
from azjax.training.config import Hyperparameters, TrainConfig
from azjax.training.iteration import train_iteration
from azjax.training.metrics import Metrics
from azjax.training.state import Replay, TrainState

# A prefix of the state's tree: what is spread over devices along its axis of games.
_STATE = TrainState(
    learner=PartitionSpec(),
    champion=PartitionSpec(),
    games=PartitionSpec(AXIS),
    replay=Replay(trajectory=PartitionSpec(None, AXIS), num_written=PartitionSpec()),
    key=PartitionSpec(),
    iteration=PartitionSpec(),
)


def shard_state(state: TrainState, mesh: Mesh) -> TrainState:
    """Returns the state laid over the mesh."""
    shardings = jax.tree.map(
        lambda spec: NamedSharding(mesh, spec),
        _STATE,
        is_leaf=lambda x: isinstance(x, PartitionSpec),
    )
    return jax.device_put(state, shardings)


def compile_iteration(
    config: TrainConfig, mesh: Mesh
) -> Callable[[Hyperparameters, TrainState], tuple[TrainState, Metrics]]:
    """Returns `train_iteration` of that configuration, jitted over the mesh; it eats its state.

    Raises:
      ValueError: The games cannot be laid over that many devices.
    """
    config.check_devices(mesh.size)
    iterate = jax.shard_map(
        functools.partial(train_iteration, config, axis_name=AXIS),
        mesh=mesh,
        in_specs=(PartitionSpec(), _STATE),
        out_specs=(_STATE, PartitionSpec()),
        check_vma=False,
    )
    return jax.jit(iterate, donate_argnums=1)
