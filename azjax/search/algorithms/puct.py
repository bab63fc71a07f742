"""AlphaZero's search by upper confidence bounds.

"A general reinforcement learning algorithm that masters chess, shogi, and Go through self-play",
Silver et al., Science 2018; the bound and the scaling of Q-values as in MuZero, Schrittwieser et
al., Nature 2020, appendix B.
"""

import chex
import jax
import jax.numpy as jnp
import mctx

from azjax.search.algorithms.most_visited import choose_most_visited
from azjax.search.config import SearchConfig, SearchHyperparameters
from azjax.search.models.evaluation import ILLEGAL_LOGIT, is_legal
from azjax.search.result import best_action
from azjax.search.tree import ROOT
from azjax.search.tree_search import Noise, TreeSearch


def _sample_noise(
    hyperparameters: SearchHyperparameters, keys: chex.PRNGKey, num_actions: int
) -> Noise:
    """Samples logarithms of the gamma variables of which Dirichlet noise is made, [B, A]."""
    sample = jax.vmap(jax.random.loggamma, in_axes=(0, None, None))
    return Noise(sample(keys, hyperparameters.dirichlet_alpha, (num_actions,)), keys)


def _add_dirichlet_noise(
    hyperparameters: SearchHyperparameters, log_gamma: chex.Array, prior_logits: chex.Array
) -> chex.Array:
    """Mixes noise [B, A] into the prior of the legal actions, and of no other.

    A Dirichlet variable is a vector of gamma variables over their sum; gamma variables of a small
    alpha underflow, so the sum is taken of their logarithms.
    """
    legal, fraction = is_legal(prior_logits), hyperparameters.dirichlet_fraction
    noise = jax.nn.softmax(jnp.where(legal, log_gamma, ILLEGAL_LOGIT))
    mixed = (1 - fraction) * jax.nn.softmax(prior_logits) + fraction * noise
    smallest = jnp.finfo(mixed.dtype).tiny
    return jnp.where(legal, jnp.log(jnp.maximum(mixed, smallest)), ILLEGAL_LOGIT)


def _select(
    config: SearchConfig,
    hyperparameters: SearchHyperparameters,
    node: mctx.Tree,
    index: chex.Array,
) -> chex.Array:
    """Selects the legal action of the highest Q-value plus exploration bonus.

    Ties are broken by value, then by prior, then by the noise of the search.
    """
    del config, index
    c_puct, c_puct_base = hyperparameters.c_puct, hyperparameters.c_puct_base
    prior_logits = node.children_prior_logits[ROOT]
    node_visits = node.node_visits[ROOT]
    weight = c_puct + jnp.log((node_visits + c_puct_base + 1) / c_puct_base)
    bonus = jnp.sqrt(node_visits) * jax.nn.softmax(prior_logits)
    bonus = weight * bonus / (1 + node.children_visits[ROOT])
    value = mctx.qtransform_by_parent_and_siblings(node, ROOT)
    score = jnp.where(is_legal(prior_logits), value + bonus, -jnp.inf)
    return best_action(score, value, prior_logits, node.extra_data)


# `action_weights` are visit fractions; the action is the most visited.
puct_search = TreeSearch(_sample_noise, _select, _select, choose_most_visited, _add_dirichlet_noise)
