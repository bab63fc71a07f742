"""An auxiliary head: how many moves are left, as a share of the longest game (lc0's MLH)."""

import dataclasses
from typing import Annotated

import jax.numpy as jnp

from azjax.networks import Head
from azjax.support.component import register
from azjax.support.ranges import Range
from azjax.training import Part
from azjax.training.targets import game_ends


@register
@dataclasses.dataclass(frozen=True)
class MovesLeft(Part):
    """A head that predicts the length of the rest of the game."""

    name = "moves_left"

    weight: Annotated[float, Range(0.05, 2.0, log=True)] = 0.5
    """Weight of its loss, the squared error of the share of the longest game."""

    def heads(self, game):
        """Returns the head: a number in (-1, 1)."""
        return (Head("moves_left", "scalar", is_bounded=True),)

    def prepare_targets(self, context, replay):
        """Returns [C, B]: the row in which each game ends."""
        return game_ends(replay)

    def sample_target(self, context, replay, prepared, positions):
        """Returns [S]: the share of the longest game that is left, NaN where it is not known."""
        left = 1 + (prepared - positions.rows) % replay.num_rows
        is_known = prepared < replay.num_rows
        return jnp.where(is_known, left / context.game.max_moves, jnp.nan)

    def loss(self, outputs, target):
        """Returns [S]: the squared error, 0 where the target is not known."""
        is_known = ~jnp.isnan(target)
        errors = outputs.auxiliary["moves_left"] - jnp.where(is_known, target, 0)
        return jnp.where(is_known, jnp.square(errors), 0)
