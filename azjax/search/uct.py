"""UCT: Monte-Carlo tree search by upper confidence bounds, without a prior.

"Bandit based Monte-Carlo planning", Kocsis and Szepesvari, ECML 2006.
"""

import functools
from typing import Any

import chex
import jax
import jax.numpy as jnp

from azjax.games import Game
from azjax.search.config import SearchConfig, SearchHyperparameters
from azjax.search.evaluation import Evaluate, is_legal
from azjax.search.result import SearchResult, value_of_weights
from azjax.search.simulation import grow_tree
from azjax.search.tree import ROOT


def uct_search(
    game: Game,
    evaluate: Evaluate,
    config: SearchConfig,
    hyperparameters: SearchHyperparameters,
    parameters: Any,
    keys: chex.PRNGKey,
    states: Any,
) -> SearchResult:
    """Searches B positions at once; with rollouts as the evaluation, plain Monte-Carlo tree search.

    The `action_weights` are visit fractions; the action is the most visited, of several the one
    with the highest value.

    Args:
      game: The rules.
      evaluate: The leaf evaluation; of its prior only what is legal matters.
      config: The number of simulations.
      hyperparameters: `c_uct` is used.
      parameters: What `evaluate` takes as its first argument.
      keys: [B], one a game, so that a game's search does not depend on its neighbours.
      states: [B] game states, none finished.
    """
    select = functools.partial(_select, hyperparameters.c_uct)
    lot_keys, keys = jax.vmap(jax.random.split, out_axes=1)(keys)
    grown = grow_tree(
        game,
        evaluate,
        parameters,
        keys,
        states,
        select_at_root=select,
        select_inside=select,
        num_simulations=config.num_simulations,
        extra_data=lot_keys,
    )
    summary = grown.root.summary()
    # Values are within -1 and 1, so that a third of one never outweighs a visit.
    preference = summary.visit_counts + summary.qvalues / 3
    return SearchResult(
        action=preference.argmax(axis=-1).astype(jnp.int32),
        action_weights=summary.visit_probs,
        value=value_of_weights(summary.visit_probs, summary.visit_counts, summary.qvalues),
        tree=grown.tree,
    )


def _select(c_uct, node, number):
    """Selects a legal action not yet visited, else that of the highest upper confidence bound.

    Ties, and with them the order of first visits, are broken by lot, anew in every node.
    """
    visits = node.children_visits[ROOT]
    bonus = jnp.sqrt(jnp.log(jnp.maximum(visits.sum(), 1)) / jnp.maximum(visits, 1))
    bound = node.qvalues(ROOT) + c_uct * bonus
    lot = jax.random.uniform(jax.random.fold_in(node.extra_data, number), visits.shape)
    score = jnp.where(visits > 0, bound, jnp.inf)
    legal = is_legal(node.children_prior_logits[ROOT])
    best = jnp.where(legal, score, -jnp.inf)
    return jnp.where(best == best.max(), lot, -1.0).argmax().astype(jnp.int32)
