"""UCT: Monte-Carlo tree search by upper confidence bounds, without a prior.

"Bandit based Monte-Carlo planning", Kocsis and Szepesvari, ECML 2006.
"""

import dataclasses
from typing import Annotated

import chex
import jax
import jax.numpy as jnp

from azjax.search.model import is_legal
from azjax.search.search import best_action
from azjax.search.tree import ROOT, SearchTree
from azjax.search.tree_search import Noise, TreeSearch
from azjax.support.ranges import Range
from azjax.support.validation import check_number


@dataclasses.dataclass(frozen=True)
class UCT(TreeSearch):
    """Plain Monte-Carlo tree search, if rollouts evaluate (Kocsis and Szepesvari 2006).

    Of a prior only what is legal matters. `action_weights` are visit fractions.
    """

    name = "uct"

    c_uct: Annotated[float, Range(0.5, 4.0, log=True)] = 2.0
    """Weight of the exploration term, for values from -1 to 1."""

    def check(self) -> None:
        super().check()
        check_number("c_uct", self.c_uct)

    def sample_noise(self, keys: chex.PRNGKey, num_actions: int) -> Noise:
        """Splits off keys [B] by which ties are broken."""
        tie_keys, keys = jax.vmap(jax.random.split, out_axes=1)(keys)
        return Noise(tie_keys, keys)

    def select_at_interior(self, node: SearchTree, index: chex.Numeric) -> chex.Array:
        """Selects a legal action not yet visited, else one of the highest upper confidence bound.

        Ties, and with them the order of first visits, are broken at random, anew in every node.
        """
        visits = node.children_visits[ROOT]
        bonus = jnp.sqrt(jnp.log(jnp.maximum(visits.sum(), 1)) / jnp.maximum(visits, 1))
        bound = node.qvalues(ROOT) + self.c_uct * bonus
        score = jnp.where(visits > 0, bound, jnp.inf)
        score = jnp.where(is_legal(node.children_prior_logits[ROOT]), score, -jnp.inf)
        return best_action(score, _random_order(node.extra_data, index, len(visits)))

    def choose(self, roots: SearchTree, prior_logits: chex.Array) -> tuple[chex.Array, chex.Array]:
        """Returns the most visited action, and the visit fractions.

        Ties are broken by value, then at random: few rollouts often give equal values.
        """
        summary = roots.summary()
        random = jax.vmap(_random_order, in_axes=(0, None, None))(
            roots.extra_data, ROOT, roots.num_actions
        )
        return best_action(summary.visit_counts, summary.qvalues, random), summary.visit_probs


def _random_order(tie_key: chex.PRNGKey, index: chex.Numeric, num_actions: int) -> chex.Array:
    """Returns random numbers [A] that break the ties of a node."""
    return jax.random.uniform(jax.random.fold_in(tie_key, index), (num_actions,))
