"""Populations: runs that differ only in their seed and their numbers, in one program.

Over devices games and replay are sharded, and learners are replicated.
"""

import functools
from typing import Any, TypeVar

import chex
import jax
import jax.numpy as jnp
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from azjax.support.machine.devices import AXIS
from azjax.support.machine.target import targets_cpu
from azjax.training.hooks import TrainConfig
from azjax.training.iteration import train_iteration
from azjax.training.metrics import Metrics
from azjax.training.state import Replay, TrainState

Member = TypeVar("Member", bound=chex.ArrayTree)  # [P, ...], then without P

_REPLICATED: Any = PartitionSpec()


def iterate_population(
    num_vmapped: int,
    configs: TrainConfig,
    is_active: chex.Array,
    states: TrainState,
    progress: chex.Array,
    *,
    axis_name: str | None = None,
) -> tuple[TrainState, Metrics]:
    """Computes one iteration of every active member of a population. Pure.

    Each member computes what it would compute alone, `num_vmapped` of them at once: a GPU is filled
    by all at once; a CPU is fastest with one after another, whose search then stays in the cache,
    and skips slots that are not active.

    Arguments are as in `train_iteration`, with an axis [P]; of configurations the numbers have
    it. Where `is_active` [P] is False, the state stays unchanged, and its metrics are 0; on an
    accelerator a population of one is always active.
    """
    # Inlined, so that it is traced once for the shapes of the metrics and for the computation.
    iterate = jax.jit(functools.partial(train_iteration, axis_name=axis_name), inline=True)
    one = jax.tree.map(lambda x: x[0], (configs, states, progress))
    # On an accelerator a `cond` would copy the state, whose buffers are donated.
    if len(is_active) == 1 and not targets_cpu():
        return jax.tree.map(lambda x: x[None], iterate(*one))
    metrics = jax.eval_shape(iterate, *one)[1]

    def iterate_member(member):
        is_active, *arguments = member
        return jax.lax.cond(is_active, iterate, stay, *arguments)

    def stay(config, state, progress):
        return state, jax.tree.map(lambda x: jnp.zeros(x.shape, x.dtype), metrics)

    # Not a batch of one: under vmap `cond` computes both branches.
    batch_size = num_vmapped if num_vmapped > 1 else None
    members = is_active, configs, states, progress
    return jax.lax.map(iterate_member, members, batch_size=batch_size)


def set_member(states: TrainState, state: TrainState, slot: chex.Numeric) -> TrainState:
    """Returns the population [P, ...] with another state in a slot."""
    return jax.tree.map(
        lambda all_, one: jax.lax.dynamic_update_index_in_dim(all_, one, slot, 0), states, state
    )


def get_member(states: Member, slot: chex.Numeric) -> Member:
    """Returns one slot of a population's states [P, ...], or of a part of them."""
    return jax.tree.map(lambda x: jax.lax.dynamic_index_in_dim(x, slot, 0, keepdims=False), states)


def compile_iteration(config: TrainConfig, mesh: Mesh, num_vmapped: int = 1) -> jax.stages.Wrapped:
    """Returns `iterate_population` jitted over the mesh, its states donated.

    The numbers of `config` do not matter: it takes them with an axis [P]. Raises ValueError if the
    games cannot be sharded over that many devices.
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


def state_shardings(config: TrainConfig, mesh: Mesh) -> TrainState:
    """Returns the shardings of a population's states [P, ...], as a prefix of their tree."""
    return jax.tree.map(lambda spec: NamedSharding(mesh, spec), _state_specs(config))


def member_shardings(config: TrainConfig, mesh: Mesh) -> TrainState:
    """Returns the shardings of the state of one run, without P, as a prefix of its tree."""
    specs = _state_specs(config)
    return jax.tree.map(lambda spec: NamedSharding(mesh, PartitionSpec(*spec[1:])), specs)


def _state_specs(config: TrainConfig) -> TrainState:
    """Returns the layout of the states [P, ...], as a prefix of their tree."""

    def by_game(axis: int | None) -> Any:
        return _REPLICATED if axis is None else PartitionSpec(*[None] * (axis + 1), AXIS)

    return TrainState(
        learner=_REPLICATED,
        best=_REPLICATED,
        games=by_game(0),
        replay=Replay(trajectory=by_game(1), num_written=_REPLICATED),
        key=_REPLICATED,
        iteration=_REPLICATED,
        opponent=_REPLICATED,
        parts={part.name: by_game(part.games_axis) for part in config.parts if part.fills("init")},
    )
