"""Planning with Gumbel noise and sequential halving.

"Policy improvement by planning with Gumbel", Danihelka et al., ICLR 2022.
"""

import functools
from typing import Any

import chex
import jax
import jax.numpy as jnp
import mctx

from azjax.games import Game
from azjax.search.config import SearchConfig, SearchHyperparameters
from azjax.search.evaluation import ILLEGAL_LOGIT, Evaluate, is_legal
from azjax.search.result import SearchResult, value_of_weights
from azjax.search.simulation import grow_tree
from azjax.search.tree import ROOT
from azjax.support import prng


def gumbel_search(
    game: Game,
    evaluate: Evaluate,
    config: SearchConfig,
    hyperparameters: SearchHyperparameters,
    parameters: Any,
    keys: chex.PRNGKey,
    states: Any,
) -> SearchResult:
    """Searches B positions at once.

    The `action_weights` are the softmax of prior logits plus completed Q-values. The action is the
    best of those most visited, by Gumbel noise plus logits plus Q-value: with `gumbel_scale` 1 a
    sample of the improved policy, with 0 its best.

    Args:
      game: The rules.
      evaluate: The leaf evaluation.
      config: The number of simulations and of considered actions, and whether Q-values are
        rescaled.
      hyperparameters: `gumbel_scale`, `value_scale` and `maxvisit_init` are used.
      parameters: What `evaluate` takes as its first argument.
      keys: [B], one a game, so that a game's search does not depend on its neighbours.
      states: [B] game states, none finished.
    """
    noise = hyperparameters.gumbel_scale * prng.gumbel(keys, game.num_actions)
    complete = functools.partial(
        mctx.qtransform_completed_by_mix_value,
        value_scale=hyperparameters.value_scale,
        maxvisit_init=hyperparameters.maxvisit_init,
        rescale_values=config.rescale_values,
    )
    grown = grow_tree(
        game,
        evaluate,
        parameters,
        keys,
        states,
        select_at_root=functools.partial(_select_at_root, config, complete),
        select_inside=functools.partial(_select_inside, complete),
        num_simulations=config.num_simulations,
        extra_data=mctx.GumbelMuZeroExtraData(root_gumbel=noise),
    )
    summary = grown.root.summary()
    qvalues = jax.vmap(complete, in_axes=(0, None))(grown.root, ROOT)
    prior_logits = grown.root.children_prior_logits[:, ROOT]
    improved_logits = jnp.where(is_legal(prior_logits), prior_logits + qvalues, ILLEGAL_LOGIT)
    action_weights = jax.nn.softmax(improved_logits)
    most_visited = summary.visit_counts == summary.visit_counts.max(axis=-1, keepdims=True)
    candidates = jnp.where(most_visited, noise + improved_logits, -jnp.inf)
    return SearchResult(
        action=candidates.argmax(axis=-1).astype(jnp.int32),
        action_weights=action_weights,
        value=value_of_weights(action_weights, summary.visit_counts, summary.qvalues),
        tree=grown.tree,
    )


def _select_at_root(config, complete, node, number):
    """Selects by sequential halving of the actions that noise and prior rank highest."""
    del number
    return mctx.gumbel_muzero_root_action_selection(
        None,  # nothing is drawn
        node,
        ROOT,
        num_simulations=config.num_simulations,
        max_num_considered_actions=config.max_num_considered_actions,
        qtransform=complete,
    )


def _select_inside(complete, node, number):
    """Selects so that visits come to follow softmax(prior logits + completed Q-values).

    See section 5 of the paper; an illegal action is never selected.
    """
    del number
    prior_logits = node.children_prior_logits[ROOT]
    visits = node.children_visits[ROOT]
    improved = jax.nn.softmax(prior_logits + complete(node, ROOT))
    score = improved - visits / (1 + visits.sum())
    return jnp.where(is_legal(prior_logits), score, -jnp.inf).argmax().astype(jnp.int32)
