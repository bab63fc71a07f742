"""UCT: Monte-Carlo tree search by upper confidence bounds, without a prior.

"Bandit based Monte-Carlo planning", Kocsis and Szepesvari, ECML 2006.
"""

import chex
import jax
import jax.numpy as jnp
import mctx

from azjax.search.config import SearchConfig, SearchHyperparameters
from azjax.search.models.evaluation import is_legal
from azjax.search.result import best_action
from azjax.search.tree import ROOT
from azjax.search.tree_search import Noise, TreeSearch


def _sample_noise(
    hyperparameters: SearchHyperparameters, keys: chex.PRNGKey, num_actions: int
) -> Noise:
    """Splits off keys [B] by which ties are broken."""
    del hyperparameters, num_actions
    tie_keys, keys = jax.vmap(jax.random.split, out_axes=1)(keys)
    return Noise(tie_keys, keys)


def _select(
    config: SearchConfig,
    hyperparameters: SearchHyperparameters,
    node: mctx.Tree,
    index: chex.Array,
) -> chex.Array:
    """Selects a legal action not yet visited, else that of the highest upper confidence bound.

    Ties, and with them the order of first visits, are broken at random, anew in every node.
    """
    del config
    visits = node.children_visits[ROOT]
    bonus = jnp.sqrt(jnp.log(jnp.maximum(visits.sum(), 1)) / jnp.maximum(visits, 1))
    bound = node.qvalues(ROOT) + hyperparameters.c_uct * bonus
    score = jnp.where(visits > 0, bound, jnp.inf)
    score = jnp.where(is_legal(node.children_prior_logits[ROOT]), score, -jnp.inf)
    return best_action(score, _random_order(node.extra_data, index, len(visits)))


def _choose(
    config: SearchConfig, hyperparameters: SearchHyperparameters, roots: mctx.Tree
) -> tuple[chex.Array, chex.Array]:
    """Returns the most visited action, and the visit fractions.

    Ties are broken by value, then at random: few rollouts often give equal values.
    """
    del config, hyperparameters
    summary = roots.summary()
    random = jax.vmap(_random_order, in_axes=(0, None, None))(
        roots.extra_data, ROOT, roots.num_actions
    )
    return best_action(summary.visit_counts, summary.qvalues, random), summary.visit_probs


def _random_order(tie_key: chex.PRNGKey, index: chex.Numeric, num_actions: int) -> chex.Array:
    """Returns random numbers [A] that break the ties of a node."""
    return jax.random.uniform(jax.random.fold_in(tie_key, index), (num_actions,))


# With rollouts as the evaluation it is plain Monte-Carlo tree search; of a prior only what is legal
# matters. `action_weights` are visit fractions.
uct_search = TreeSearch(_sample_noise, _select, _select, _choose)
