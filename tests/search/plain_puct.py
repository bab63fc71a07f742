"""A search of few lines, which tests repeat in plain Python."""

import dataclasses

import jax.numpy as jnp

from azjax.search import ROOT, TreeSearch, best_action, is_legal


@dataclasses.dataclass(frozen=True)
class PlainPUCT(TreeSearch):
    """PUCT without anything else."""

    name = "plain_puct"

    def select_at_interior(self, node, index):
        """Selects the legal action of the highest value plus exploration bonus."""
        visits, logits = node.children_visits[ROOT], node.children_prior_logits[ROOT]
        prior = jnp.exp(logits - logits.max())
        score = node.qvalues(ROOT) + prior * jnp.sqrt(visits.sum()) / (1 + visits)
        return best_action(jnp.where(is_legal(logits), score, -jnp.inf))
