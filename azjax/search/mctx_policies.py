"""Search by mctx's own policies over the same models: to check azjax's tree, or do without it.

mctx takes one key for a batch, and here each position has its own, so that no search depends on its
neighbours. So mctx searches batches of one under `vmap`, in which the model gathers all positions.
"""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import chex
import jax
import jax.numpy as jnp
import mctx

from azjax.search.gumbel import GumbelFields
from azjax.search.model import ILLEGAL_LOGIT, Model, is_legal
from azjax.search.puct import PUCT, PUCTFields
from azjax.search.search import Search, SearchResult, value_of_weights
from azjax.support.component import carry_over

_POSITIONS = "positions"  # the axis of `vmap`
_QTransform = Callable[[mctx.Tree, chex.Numeric], chex.Array]


class MctxSearch(Search):
    """The base of searches by a policy of mctx."""

    def policy(self) -> Callable[..., mctx.PolicyOutput]:
        """Returns the policy, called as `mctx.muzero_policy` with the arguments of a search."""
        raise NotImplementedError

    def add_noise(self, keys: chex.PRNGKey, prior_logits: chex.Array) -> chex.Array:
        """Returns the prior logits [B, A] that the searches start from."""
        return prior_logits

    def __call__(
        self,
        model: Model,
        params: Any,
        keys: chex.PRNGKey,
        states: Any,
        *,
        roots_alone: bool = False,
    ) -> SearchResult:
        """Searches B positions; arguments as in `azjax.search.search`."""
        policy, root = self.policy(), model.root(params, keys, states)

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

        noisy = root.replace(prior_logits=self.add_noise(keys, root.prior_logits))
        action, weights, tree = jax.vmap(search_one, axis_name=_POSITIONS)(keys, noisy).to_tuple()
        summary = tree.summary()
        value = value_of_weights(weights, summary.visit_counts, summary.qvalues)
        return SearchResult(action, weights, value, _without_copies(tree), root.prior_logits)


@dataclasses.dataclass(frozen=True)
class MctxGumbel(GumbelFields, MctxSearch):
    """mctx's own Gumbel search, `mctx.gumbel_muzero_policy`.

    `action_weights` are the softmax of prior logits plus completed Q-values.
    """

    name = "mctx_gumbel"

    def policy(self) -> Callable[..., mctx.PolicyOutput]:
        qtransform = functools.partial(
            mctx.qtransform_completed_by_mix_value,
            value_scale=self.value_scale,
            maxvisit_init=self.maxvisit_init,
            rescale_values=self.rescale_values,
        )
        return functools.partial(
            mctx.gumbel_muzero_policy,
            num_simulations=self.num_simulations,
            qtransform=_mask_illegal(qtransform),
            max_num_considered_actions=self.max_num_considered_actions,
            gumbel_scale=self.gumbel_scale,
        )


@dataclasses.dataclass(frozen=True)
class MctxPUCT(PUCTFields, MctxSearch):
    """mctx's own PUCT, `mctx.muzero_policy`.

    The Dirichlet noise is azjax's: mctx's covers illegal actions too. `action_weights` are visit
    fractions; the action is the most visited.
    """

    name = "mctx_puct"

    def policy(self) -> Callable[..., mctx.PolicyOutput]:
        return functools.partial(
            mctx.muzero_policy,
            num_simulations=self.num_simulations,
            qtransform=_mask_illegal(mctx.qtransform_by_parent_and_siblings),
            dirichlet_fraction=0.0,
            pb_c_init=self.c_puct,
            pb_c_base=self.c_puct_base,
            temperature=0.0,
        )

    def add_noise(self, keys: chex.PRNGKey, prior_logits: chex.Array) -> chex.Array:
        """Mixes Dirichlet noise into the prior, as azjax's PUCT does."""
        puct = carry_over(self, PUCT)
        noise = puct.sample_noise(keys, prior_logits.shape[-1]).extra_data
        return puct.prepare_root(keys, noise, prior_logits)


def _mask_illegal(qtransform: _QTransform) -> _QTransform:
    """Returns a transformation of Q-values by which no illegal action is selected in any node.

    mctx masks illegal actions at the root alone. Elsewhere a prior of 0 is not enough: the noise by
    which PUCT breaks ties may exceed the scores of all legal actions.
    """

    def transform(tree: mctx.Tree, node: chex.Numeric) -> chex.Array:
        legal = is_legal(tree.children_prior_logits[node])
        return jnp.where(legal, qtransform(tree, node), ILLEGAL_LOGIT)

    return transform


def _without_copies(tree: mctx.Tree) -> mctx.Tree:
    """Returns trees [B, N, ...] without children of finished positions, which mctx goes on from."""
    batch = jnp.arange(len(tree.parents))[:, None]
    discount = tree.children_discounts[batch, tree.parents, tree.action_from_parent]
    is_finished = ((tree.parents != tree.NO_PARENT) & (discount == 0))[..., None]
    return tree.replace(
        children_index=jnp.where(is_finished, tree.UNVISITED, tree.children_index),
        children_visits=jnp.where(is_finished, 0, tree.children_visits),
    )
