"""Populations: runs that differ only in their seed and their numbers, in one program."""

import functools
from typing import TypeVar

import chex
import jax

from azjax.support.machine.target import targets_cpu
from azjax.training.config import TrainConfig
from azjax.training.hooks import Algorithm
from azjax.training.iteration import train_iteration
from azjax.training.metrics import Metrics, no_metrics
from azjax.training.state import TrainState

Member = TypeVar("Member", bound=chex.ArrayTree)  # [P, ...], then without P


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

    Args:
      num_vmapped: The number of members per vmapped call; static.
      configs: Numbers [P]; the rest is the same of all members.
      is_active: [P] bool; other states stay unchanged, and their metrics are 0. On
        an accelerator a population of one is always active.
      states: [P, ...].
      progress: [P], as in `train_iteration`.
      axis_name: The mapped axis over devices, as in `train_iteration`.
    """
    iterate = functools.partial(train_iteration, axis_name=axis_name)
    # On an accelerator a `cond` would copy the state, whose buffers are donated.
    if len(is_active) == 1 and not targets_cpu():
        one = jax.tree.map(lambda x: x[0], (configs, states, progress))
        return jax.tree.map(lambda x: x[None], iterate(*one))

    def iterate_member(member):
        is_active, *arguments = member
        return jax.lax.cond(is_active, iterate, stay, *arguments)

    def stay(config, state, progress):
        del progress
        assert isinstance(config.algorithm, Algorithm)
        return state, no_metrics(config.algorithm.extra_metrics(config))

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
