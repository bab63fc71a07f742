"""Search that weighs a policy's prior against the mean value: of rollouts for a policy network.

So it adds to a policy network what that lacks, a value:
score = w * prior / (1 + visits) + (1 - w) * mean value. With visits the prior counts less and less,
as in AlphaGo's search ("Mastering the game of Go with deep neural networks and tree search", Silver
et al., Nature 2016), but no bonus grows with the visits of other actions.
"""

import chex
import jax
import jax.numpy as jnp
import mctx

from azjax.search.algorithms.gumbel_noise import sample_gumbel_noise
from azjax.search.algorithms.most_visited import choose_most_visited
from azjax.search.config import SearchConfig, SearchHyperparameters
from azjax.search.models.evaluation import is_legal
from azjax.search.result import best_action
from azjax.search.tree import ROOT
from azjax.search.tree_search import TreeSearch


def _select(
    config: SearchConfig,
    hyperparameters: SearchHyperparameters,
    node: mctx.Tree,
    index: chex.Array,
) -> chex.Array:
    """Selects the legal action of the highest score; an action without a visit has value 0."""
    del config, index
    weight, prior_logits = hyperparameters.prior_weight, node.children_prior_logits[ROOT]
    visits, prior = node.children_visits[ROOT], jax.nn.softmax(prior_logits)
    value = jnp.where(visits > 0, node.qvalues(ROOT), 0.0)
    score = weight * prior / (1 + visits) + (1 - weight) * value
    score = jnp.where(is_legal(prior_logits), score, -jnp.inf)
    return best_action(score, prior_logits, node.extra_data)


# `action_weights` are visit fractions; the action is the most visited.
policy_rollouts_search = TreeSearch(sample_gumbel_noise, _select, _select, choose_most_visited)
