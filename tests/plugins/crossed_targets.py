"""Searches with other policy targets: does the search make the difference, or its target?"""

import dataclasses
from typing import Annotated

import jax
import jax.numpy as jnp
import mctx

from azjax.search import ILLEGAL_LOGIT, ROOT, Gumbel, StrongPUCT, is_legal
from azjax.support.component import register
from azjax.support.ranges import Range


@register
@dataclasses.dataclass(frozen=True)
class GumbelVisits(Gumbel):
    """Gumbel's search; `action_weights` are visit fractions, as under PUCT."""

    name = "gumbel_visits"

    def choose(self, roots, prior_logits):
        """Returns Gumbel's actions, and the visit fractions."""
        return super().choose(roots, prior_logits)[0], roots.summary().visit_probs


@register
@dataclasses.dataclass(frozen=True)
class PUCTCompletedQ(StrongPUCT):
    """Strong PUCT; `action_weights` are the softmax of prior logits plus completed Q-values."""

    name = "puct_completed_q"

    value_scale: Annotated[float, Range(0.02, 0.5, log=True)] = 0.4
    """Scale of the completed Q-values against the prior logits."""

    def choose(self, roots, prior_logits):
        """Returns PUCT's actions, and the policy that is improved by the Q-values."""
        without_noise = roots.replace(children_prior_logits=prior_logits[:, None])
        complete = mctx.qtransform_completed_by_mix_value
        qvalues = jax.vmap(
            lambda node: complete(node, ROOT, value_scale=self.value_scale, rescale_values=False)
        )(without_noise)
        improved = jnp.where(is_legal(prior_logits), prior_logits + qvalues, ILLEGAL_LOGIT)
        return super().choose(roots, prior_logits)[0], jax.nn.softmax(improved)


@register
@dataclasses.dataclass(frozen=True)
class PUCTNewVisits(StrongPUCT):
    """Strong PUCT; where trees are kept, `action_weights` are the fractions of new visits alone."""

    name = "puct_new_visits"

    def choose(self, roots, prior_logits):
        """Returns the actions, and the fractions of the visits that this search has made."""
        visits = jnp.maximum(roots.root_new_visits, 0).astype(jnp.float32)
        weights = visits / visits.sum(axis=-1, keepdims=True)
        return super().choose(roots, prior_logits)[0], weights
