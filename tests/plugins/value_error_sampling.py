"""Prioritized replay: positions are sampled by the network's value error at their last sample.

"Prioritized Experience Replay", Schaul et al., ICLR 2016, without importance weights.
"""

import dataclasses
from typing import Annotated

import jax
import jax.numpy as jnp

from azjax.support.component import register
from azjax.support.ranges import Range
from azjax.training import Part

_NEW = 1.0  # the error of a position that was not sampled yet
_LEAST = 0.01


@register
@dataclasses.dataclass(frozen=True)
class ValueErrorSampling(Part):
    """Samples a position the more often, the more its value was wrong."""

    name = "value_error_sampling"
    games_axis = 1

    exponent: Annotated[float, Range(0.1, 1.0)] = 0.6
    """Positions are sampled in proportion to their error to this power; 0 samples uniformly."""

    def init(self, context):
        """Returns the errors [C, B]."""
        return jnp.full((context.config.replay_moves, context.config.num_games), _NEW)

    def weights(self, context, state, replay, weights):
        """Returns [C, B]: times the error to the power."""
        return weights * (state + _LEAST) ** self.exponent

    def learned(self, context, state, learner, positions, batch):
        """Returns the errors, new at the positions of a batch."""
        _, value = context.network.apply(learner.variables, batch.observation)
        error = jnp.abs(value - batch.targets.value)
        return state.at[positions.rows, positions.games].set(error)

    def after(self, context, state, next_state):
        """Returns the errors, new in the rows that the next iteration writes."""
        new = jnp.full((context.config.num_moves, state.shape[1]), _NEW)
        return jax.lax.dynamic_update_slice_in_dim(state, new, next_state.replay.next_row, axis=0)
