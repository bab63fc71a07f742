"""A policy target of its own: the search's policy, mixed with the action that was played."""

import dataclasses
from typing import Annotated

import jax

from azjax.support.component import register
from azjax.support.ranges import Range
from azjax.training import Part


@register
@dataclasses.dataclass(frozen=True)
class PlayedAction(Part):
    """Learns the played action beside the search's policy."""

    name = "played_action"

    mix: Annotated[float, Range(0.01, 0.5, log=True)] = 0.1
    """Share of the played action in the policy's target."""

    def policy_target(self, context, moves, rows, games, policy):
        """Returns [..., A]: the mixture."""
        played = jax.nn.one_hot(moves.action[rows, games], policy.shape[-1])
        return (1 - self.mix) * policy + self.mix * played
