"""Search by mctx's own policies over the same models: to check azjax's tree, or do without it.

mctx takes one key for a batch, and here each position has its own, so that no search depends on its
neighbours. So mctx searches batches of one under `vmap`, in which the model gathers all positions.
"""

import functools
from collections.abc import Callable
from typing import Any

import chex
import jax
import jax.numpy as jnp
import mctx

from azjax.search.algorithms.puct import puct_search
from azjax.search.config import SearchConfig, SearchHyperparameters
from azjax.search.models.evaluation import ILLEGAL_LOGIT, is_legal
from azjax.search.models.model import Model
from azjax.search.result import SearchResult, value_of_weights

_POSITIONS = "positions"  # the axis of `vmap`
_QTransform = Callable[[mctx.Tree, chex.Numeric], chex.Array]


def mctx_gumbel_search(
    model: Model,
    config: SearchConfig,
    hyperparameters: SearchHyperparameters,
    params: Any,
    keys: chex.PRNGKey,
    states: Any,
) -> SearchResult:
    """Searches by `mctx.gumbel_muzero_policy`; arguments as those of `azjax.search.search`.

    `action_weights` are the softmax of prior logits plus completed Q-values.
    """
    qtransform = functools.partial(
        mctx.qtransform_completed_by_mix_value,
        value_scale=hyperparameters.value_scale,
        maxvisit_init=hyperparameters.maxvisit_init,
        rescale_values=config.rescale_values,
    )
    policy = functools.partial(
        mctx.gumbel_muzero_policy,
        num_simulations=config.num_simulations,
        qtransform=_mask_illegal(qtransform),
        max_num_considered_actions=config.max_num_considered_actions,
        gumbel_scale=hyperparameters.gumbel_scale,
    )
    return _search(policy, model, params, keys, states)


def mctx_puct_search(
    model: Model,
    config: SearchConfig,
    hyperparameters: SearchHyperparameters,
    params: Any,
    keys: chex.PRNGKey,
    states: Any,
) -> SearchResult:
    """Searches by `mctx.muzero_policy`; arguments as those of `azjax.search.search`.

    The Dirichlet noise is that of azjax's PUCT: mctx's covers illegal actions too. `action_weights`
    are visit fractions; the action is the most visited.
    """
    noise = puct_search.sample_noise(hyperparameters, keys, model.num_actions).extra_data
    policy = functools.partial(
        mctx.muzero_policy,
        num_simulations=config.num_simulations,
        qtransform=_mask_illegal(mctx.qtransform_by_parent_and_siblings),
        dirichlet_fraction=0.0,
        pb_c_init=hyperparameters.c_puct,
        pb_c_base=hyperparameters.c_puct_base,
        temperature=0.0,
    )
    add_noise = functools.partial(puct_search.prepare_root, hyperparameters, noise)
    return _search(policy, model, params, keys, states, add_noise)


def _mask_illegal(qtransform: _QTransform) -> _QTransform:
    """Returns a transformation of Q-values by which no illegal action is selected in any node.

    mctx masks illegal actions at the root alone. Elsewhere a prior of 0 is not enough: the noise by
    which PUCT breaks ties may exceed the scores of all legal actions.
    """

    def transform(tree: mctx.Tree, node: chex.Numeric) -> chex.Array:
        legal = is_legal(tree.children_prior_logits[node])
        return jnp.where(legal, qtransform(tree, node), ILLEGAL_LOGIT)

    return transform


def _search(
    policy: Callable[..., mctx.PolicyOutput],
    model: Model,
    params: Any,
    keys: chex.PRNGKey,
    states: Any,
    add_noise: Callable[[chex.Array], chex.Array] = lambda prior_logits: prior_logits,
) -> SearchResult:
    """Searches B positions by a policy of mctx, the noise added to the roots' prior logits."""
    root = model.root(params, keys, states)

    def recurrent(params, key, action, embedding):
        gather = functools.partial(jax.lax.all_gather, axis_name=_POSITIONS)
        batch = gather(key), *gather((action, embedding), tiled=True)
        index = jax.lax.axis_index(_POSITIONS)
        return jax.tree.map(lambda x: x[index, None], model.recurrent(params, *batch))

    def search_one(key, root):
        root = jax.tree.map(lambda x: x[None], root)
        is_illegal = ~is_legal(root.prior_logits)
        output = policy(params, key, root, recurrent, invalid_actions=is_illegal)
        return jax.tree.map(lambda x: x[0], output)

    noisy = root.replace(prior_logits=add_noise(root.prior_logits))
    action, weights, tree = jax.vmap(search_one, axis_name=_POSITIONS)(keys, noisy).to_tuple()
    summary = tree.summary()
    value = value_of_weights(weights, summary.visit_counts, summary.qvalues)
    return SearchResult(action, weights, value, _without_copies(tree), root.prior_logits)


def _without_copies(tree: mctx.Tree) -> mctx.Tree:
    """Returns trees [B, N, ...] without children of finished positions, which mctx goes on from."""
    batch = jnp.arange(len(tree.parents))[:, None]
    discount = tree.children_discounts[batch, tree.parents, tree.action_from_parent]
    is_finished = ((tree.parents != tree.NO_PARENT) & (discount == 0))[..., None]
    return tree.replace(
        children_index=jnp.where(is_finished, tree.UNVISITED, tree.children_index),
        children_visits=jnp.where(is_finished, 0, tree.children_visits),
    )
