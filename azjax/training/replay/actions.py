"""The actions played, for algorithms that learn from them."""

from typing import Any

import jax.numpy as jnp

from azjax.training.algorithms.algorithm import TrainContext
from azjax.training.state import Move


def record_action(context: TrainContext, move: Move) -> dict[str, Any]:
    """Returns the actions [B] of a move in each of B games, by the key `action`."""
    del context
    return {"action": move.action.astype(jnp.int16)}


def empty_action_record(context: TrainContext, shape: tuple[int, int]) -> dict[str, Any]:
    """Returns zeros of a shape, like what `record_action` returns."""
    del context
    return {"action": jnp.zeros(shape, jnp.int16)}
