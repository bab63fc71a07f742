"""Planning with Gumbel noise and sequential halving.

"Policy improvement by planning with Gumbel", Danihelka et al., ICLR 2022.
"""

import functools
from collections.abc import Callable

import chex
import jax
import jax.numpy as jnp
import mctx

from azjax.search.algorithms.gumbel_noise import sample_gumbel_noise
from azjax.search.algorithms.sequential_halving import visit_schedules
from azjax.search.config import SearchConfig, SearchHyperparameters
from azjax.search.models.evaluation import ILLEGAL_LOGIT, is_legal
from azjax.search.result import best_action
from azjax.search.tree import ROOT
from azjax.search.tree_search import TreeSearch


def _select_at_root(
    config: SearchConfig,
    hyperparameters: SearchHyperparameters,
    node: mctx.Tree,
    index: chex.Array,
) -> chex.Array:
    """Selects by sequential halving of the actions that noise and prior rank highest.

    The halving's state is the root's visit counts, so it carries over from piece to piece. Where
    results are proven, its candidates may all be settled; then the best open action is selected.
    """
    del index
    visits, prior_logits = node.children_visits[ROOT], node.children_prior_logits[ROOT]
    most_considered = min(config.max_num_considered_actions, len(visits))
    schedules = jnp.asarray(visit_schedules(most_considered, config.num_simulations))
    num_considered = jnp.minimum(most_considered, (~node.root_invalid_actions).sum())
    is_open = is_legal(prior_logits)  # masked where an action is settled
    is_considered = is_open & (visits == schedules[num_considered, visits.sum()])
    is_considered = jnp.where(is_considered.any(), is_considered, is_open)
    qvalues = _qtransform(config, hyperparameters)(node, ROOT)
    noise = hyperparameters.gumbel_scale * node.extra_data
    scores = noise + (prior_logits - prior_logits.max()) + qvalues
    return best_action(jnp.where(is_considered, scores, -jnp.inf), node.extra_data)


def _select_at_interior(
    config: SearchConfig,
    hyperparameters: SearchHyperparameters,
    node: mctx.Tree,
    index: chex.Array,
) -> chex.Array:
    """Selects so that visits come to follow softmax(prior logits + completed Q-values).

    See section 5 of the paper; an illegal action is never selected.
    """
    del index
    prior_logits = node.children_prior_logits[ROOT]
    visits = node.children_visits[ROOT]
    qvalues = _qtransform(config, hyperparameters)(node, ROOT)
    score = jax.nn.softmax(prior_logits + qvalues) - visits / (1 + visits.sum())
    return best_action(jnp.where(is_legal(prior_logits), score, -jnp.inf), node.extra_data)


def _choose(
    config: SearchConfig, hyperparameters: SearchHyperparameters, roots: mctx.Tree
) -> tuple[chex.Array, chex.Array]:
    """Returns the best of the most visited actions, and the improved policy.

    Ties, which equal priors leave where there is no noise, are broken at random.
    """
    visit_counts = roots.summary().visit_counts
    qvalues = jax.vmap(_qtransform(config, hyperparameters), in_axes=(0, None))(roots, ROOT)
    prior_logits = roots.children_prior_logits[:, ROOT]
    improved_logits = jnp.where(is_legal(prior_logits), prior_logits + qvalues, ILLEGAL_LOGIT)
    scores = hyperparameters.gumbel_scale * roots.extra_data + improved_logits
    return best_action(visit_counts, scores, roots.extra_data), jax.nn.softmax(improved_logits)


def _qtransform(
    config: SearchConfig, hyperparameters: SearchHyperparameters
) -> Callable[[mctx.Tree, int], chex.Array]:
    """Returns what completes a node's Q-values, [A]: the mixed value where there is no visit."""
    return functools.partial(
        mctx.qtransform_completed_by_mix_value,
        value_scale=hyperparameters.value_scale,
        maxvisit_init=hyperparameters.maxvisit_init,
        rescale_values=config.rescale_values,
    )


# `action_weights` are the softmax of prior logits plus completed Q-values. The action is the best
# of those most visited by noise plus logits plus Q-value, as in the paper: with `gumbel_scale` 1
# about a sample of the improved policy. With 0 it is the mode among the most visited; an action
# that the halving left out may end with a higher weight, from the Q-value of fewer visits.
gumbel_search = TreeSearch(
    sample_gumbel_noise, _select_at_root, _select_at_interior, _choose, is_anytime=False
)
