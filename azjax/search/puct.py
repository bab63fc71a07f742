"""AlphaZero's search by upper confidence bounds.

"A general reinforcement learning algorithm that masters chess, shogi, and Go through self-play",
Silver et al., Science 2018; the bound and the scaling of Q-values as in MuZero, Schrittwieser et
al., Nature 2020, appendix B.
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


def puct_search(
    game: Game,
    evaluate: Evaluate,
    config: SearchConfig,
    hyperparameters: SearchHyperparameters,
    parameters: Any,
    keys: chex.PRNGKey,
    states: Any,
) -> SearchResult:
    """Searches B positions at once.

    The `action_weights` are visit fractions; the action is the most visited.

    Args:
      game: The rules.
      evaluate: The leaf evaluation.
      config: The number of simulations.
      hyperparameters: `c_puct`, `c_puct_base`, `dirichlet_alpha` and `dirichlet_fraction` are used.
      parameters: What `evaluate` takes as its first argument.
      keys: [B], one a game, so that a game's search does not depend on its neighbours.
      states: [B] game states, none finished.
    """
    draw = jax.vmap(jax.random.loggamma, in_axes=(0, None, None))
    log_gamma = draw(keys, hyperparameters.dirichlet_alpha, (game.num_actions,))
    add_noise = functools.partial(
        _add_dirichlet_noise, log_gamma, hyperparameters.dirichlet_fraction
    )
    select = functools.partial(_select, hyperparameters.c_puct, hyperparameters.c_puct_base)
    grown = grow_tree(
        game,
        evaluate,
        parameters,
        keys,
        states,
        prepare_root=add_noise,
        select_at_root=select,
        select_inside=select,
        num_simulations=config.num_simulations,
    )
    summary = grown.root.summary()
    return SearchResult(
        action=summary.visit_counts.argmax(axis=-1).astype(jnp.int32),
        action_weights=summary.visit_probs,
        value=value_of_weights(summary.visit_probs, summary.visit_counts, summary.qvalues),
        tree=grown.tree,
    )


def _add_dirichlet_noise(log_gamma, fraction, prior_logits):
    """Mixes noise [B, A] into the prior of the legal actions, and of no other.

    A Dirichlet variable is a vector of gamma variables over their sum; gamma variables of a small
    alpha underflow, so the sum is taken of their logarithms.
    """
    legal = is_legal(prior_logits)
    noise = jax.nn.softmax(jnp.where(legal, log_gamma, ILLEGAL_LOGIT))
    mixed = (1 - fraction) * jax.nn.softmax(prior_logits) + fraction * noise
    smallest = jnp.finfo(mixed.dtype).tiny
    return jnp.where(legal, jnp.log(jnp.maximum(mixed, smallest)), ILLEGAL_LOGIT)


def _select(c_puct, c_puct_base, node, number):
    """Selects the legal action of the highest Q-value plus exploration bonus."""
    del number
    prior_logits = node.children_prior_logits[ROOT]
    node_visits = node.node_visits[ROOT]
    weight = c_puct + jnp.log((node_visits + c_puct_base + 1) / c_puct_base)
    bonus = jnp.sqrt(node_visits) * jax.nn.softmax(prior_logits)
    bonus = weight * bonus / (1 + node.children_visits[ROOT])
    score = mctx.qtransform_by_parent_and_siblings(node, ROOT) + bonus
    return jnp.where(is_legal(prior_logits), score, -jnp.inf).argmax().astype(jnp.int32)
