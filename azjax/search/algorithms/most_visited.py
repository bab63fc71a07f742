"""The choice at the root by visits, as in AlphaZero."""

import chex
import mctx

from azjax.search.config import SearchConfig, SearchHyperparameters
from azjax.search.result import best_action
from azjax.search.tree import ROOT


def choose_most_visited(
    config: SearchConfig, hyperparameters: SearchHyperparameters, roots: mctx.Tree
) -> tuple[chex.Array, chex.Array]:
    """Returns [B], the most visited actions, and [B, A], the visit fractions.

    Ties, which few simulations leave in many positions, are broken by value, then by prior, then by
    the noise of the search.
    """
    del config, hyperparameters
    summary, prior_logits = roots.summary(), roots.children_prior_logits[:, ROOT]
    action = best_action(summary.visit_counts, summary.qvalues, prior_logits, roots.extra_data)
    return action, summary.visit_probs
