"""Search that weighs a policy's prior against the mean value: of rollouts for a policy network.

So it adds to a policy network what that lacks, a value:
score = w * prior / (1 + visits) + (1 - w) * mean value. With visits the prior counts less and less,
as in AlphaGo's search ("Mastering the game of Go with deep neural networks and tree search", Silver
et al., Nature 2016), but no bonus grows with the visits of other actions.
"""

import dataclasses
from typing import Annotated

import chex
import jax
import jax.numpy as jnp

from azjax.search.model import is_legal
from azjax.search.search import best_action
from azjax.search.tree import ROOT, SearchTree
from azjax.search.tree_search import TreeSearch
from azjax.support.ranges import Range
from azjax.support.validation import check_share


@dataclasses.dataclass(frozen=True)
class PolicyRollouts(TreeSearch):
    """Weighs the prior against the mean value, of rollouts where the network has none.

    `action_weights` are visit fractions; the action is the most visited.
    """

    name = "policy_rollouts"

    prior_weight: Annotated[float, Range(0.1, 0.95)] = 0.9
    """Weight of the prior; the mean value has the rest."""

    def check(self) -> None:
        super().check()
        check_share("prior_weight", self.prior_weight)

    def select_at_interior(self, node: SearchTree, index: chex.Numeric) -> chex.Array:
        """Selects the legal action of the highest score; an action without a visit has value 0."""
        weight, prior_logits = self.prior_weight, node.children_prior_logits[ROOT]
        visits, prior = node.children_visits[ROOT], jax.nn.softmax(prior_logits)
        value = jnp.where(visits > 0, node.qvalues(ROOT), 0.0)
        score = weight * prior / (1 + visits) + (1 - weight) * value
        score = jnp.where(is_legal(prior_logits), score, -jnp.inf)
        return best_action(score, prior_logits, node.extra_data)
