"""Backup by the power mean of the children, which leans towards the best of them.

"Generalized Mean Estimation in Monte-Carlo Tree Search", Dam et al., IJCAI 2020. Nodes store the
highest value that was ever backed up to them, which a reader of the tree may look at.
"""

import dataclasses
from typing import Annotated

import jax.numpy as jnp

from azjax.search import PUCT, ROOT
from azjax.support.component import register
from azjax.support.ranges import Range


@register
@dataclasses.dataclass(frozen=True)
class PowerMean(PUCT):
    """PUCT whose nodes have the power mean of their children for value."""

    name = "power_mean"

    exponent: Annotated[float, Range(1.0, 16.0, log=True)] = 2.0
    """1 is the mean of the children; the larger, the closer to their maximum."""

    def init_statistics(self, evaluation):
        """Returns the highest values [B] so far: the evaluations."""
        return evaluation.value

    def back_up(self, node, value):
        """Returns the power mean of the children and of the node's evaluation, and the highest."""
        values = jnp.append(node.qvalues(ROOT), node.raw_values[ROOT])
        weights = jnp.append(node.children_visits[ROOT], 1)
        powers = jnp.clip((1 + values) / 2, 0, 1) ** self.exponent
        mean = jnp.average(powers, weights=weights) ** (1 / self.exponent)
        return 2 * mean - 1, jnp.maximum(node.statistics[ROOT], value)
