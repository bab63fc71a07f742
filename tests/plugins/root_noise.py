"""Root noise for Gumbel: Gaussian noise in the prior logits of the root.

The improved policy is completed from the prior without that noise, see `choose`.
"""

import dataclasses
from typing import Annotated

import jax
import jax.numpy as jnp

from azjax.search import ROOT, Gumbel, is_legal
from azjax.support.component import register
from azjax.support.ranges import Off, Range


@register
@dataclasses.dataclass(frozen=True)
class NoisyGumbel(Gumbel):
    """Gumbel's search with Gaussian noise in the prior of the root."""

    name = "noisy_gumbel"

    strength: Annotated[float, Range(0.05, 1.0, log=True), Off(0.0)] = 0.3
    """Standard deviation of the noise in the prior logits; 0 searches without."""

    def prepare_root(self, keys, extra_data, prior_logits):
        """Returns the prior logits [B, A] with noise."""
        noise = jax.vmap(lambda key: jax.random.normal(key, prior_logits.shape[1:]))(keys)
        return jnp.where(is_legal(prior_logits), prior_logits + self.strength * noise, prior_logits)

    def choose(self, roots, prior_logits):
        """Chooses by the prior without noise."""
        clean = roots.children_prior_logits.at[:, ROOT].set(prior_logits)
        return super().choose(roots.replace(children_prior_logits=clean), prior_logits)
