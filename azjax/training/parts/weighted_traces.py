"""Weighted traces: a move that the search thinks bad hands less of the outcome to those before it.

As in Q(lambda) (Watkins 1989) and Retrace ("Safe and efficient off-policy reinforcement learning",
Munos et al., NeurIPS 2016). In long games with a broad policy the outcome is soon forgotten.
"""

import dataclasses

import chex
import jax.numpy as jnp

from azjax.training.hooks import Part, TrainContext
from azjax.training.state import Trajectory


@dataclasses.dataclass(frozen=True)
class WeightedTraces(Part):
    """Lambda times the move's probability by the search, relative to the likeliest move's.

    The rest of the weight goes to the search's value, so a sampled error does not lower the
    values of the positions before it.
    """

    name = "weighted_traces"

    def bootstrap_weights(
        self, context: TrainContext, moves: Trajectory, weights: chex.Numeric
    ) -> chex.Numeric:
        """Returns [C, B]: 1 - lambda at each move."""
        actions = moves.action[..., None].astype(jnp.int32)
        of_action = jnp.take_along_axis(moves.action_weights, actions, axis=-1)[..., 0]
        most = moves.action_weights.max(axis=-1)
        trace = jnp.where(most > 0, of_action / jnp.where(most > 0, most, 1), 0)  # rows not written
        return 1 - (1 - weights) * trace
