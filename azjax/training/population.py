"""Populations: runs that differ in seed and hyperparameters alone, side by side in one program."""

import functools

import chex
import jax

from azjax.training.config import Hyperparameters, TrainConfig
from azjax.training.iteration import train_iteration
from azjax.training.metrics import Metrics, no_metrics
from azjax.training.state import TrainState


def iterate_population(
    config: TrainConfig,
    num_vmapped: int,
    hyperparameters: Hyperparameters,
    is_active: chex.Array,
    states: TrainState,
    *,
    axis_name: str | None = None,
) -> tuple[TrainState, Metrics]:
    """Takes every active member of a population through one iteration. Pure.

    A member is what it would be alone. Members go through the iteration `num_vmapped` at a time:
    a GPU is filled by all at once; a CPU is fastest with one after another, whose search then
    stays in the cache, and does nothing for a place whose member is not active.

    Args:
      config: The sizes, of all members; static.
      num_vmapped: How many members go through the iteration at once; static.
      hyperparameters: [P] each.
      is_active: [P] bool; the states of the others stay as they are, and their metrics are 0.
      states: [P, ...].
      axis_name: The mapped axis over devices, as in `train_iteration`.
    """
    iterate = functools.partial(train_iteration, config, axis_name=axis_name)

    def iterate_member(member):
        is_active, hyperparameters, state = member
        return jax.lax.cond(is_active, iterate, stay, hyperparameters, state)

    def stay(hyperparameters, state):
        del hyperparameters
        return state, no_metrics()

    # A batch of one would be a vmap too, under which `cond` computes both branches.
    batch_size = num_vmapped if num_vmapped > 1 else None
    return jax.lax.map(iterate_member, (is_active, hyperparameters, states), batch_size=batch_size)


def set_member(states: TrainState, state: TrainState, place: chex.Numeric) -> TrainState:
    """Returns the population [P, ...] with another state in a place."""
    return jax.tree.map(
        lambda all_, one: jax.lax.dynamic_update_index_in_dim(all_, one, place, 0), states, state
    )


def get_member(states: chex.ArrayTree, place: chex.Numeric) -> chex.ArrayTree:
    """Returns what is in a place of the population's [P, ...] states, or of a part of them."""
    return jax.tree.map(lambda x: jax.lax.dynamic_index_in_dim(x, place, 0, keepdims=False), states)
