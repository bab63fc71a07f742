"""The actions played, for algorithms that learn from them."""

from typing import Any

import chex
import jax.numpy as jnp

from azjax.training.context import TrainContext
from azjax.training.state import Move


def recorded(actions: chex.Array) -> dict[str, Any]:
    """Returns actions as replay holds them, by the key `action`."""
    return {"action": actions.astype(jnp.int16)}


def record_action(context: TrainContext, move: Move) -> dict[str, Any]:
    """Returns the actions [B] of a move in each of B games, as `recorded`."""
    del context
    return recorded(move.action)


def empty_action_record(context: TrainContext, shape: tuple[int, int]) -> dict[str, Any]:
    """Returns zeros of a shape, like what `record_action` returns."""
    del context
    return recorded(jnp.zeros(shape))
