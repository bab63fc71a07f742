"""AlphaZero's search by upper confidence bounds.

"A general reinforcement learning algorithm that masters chess, shogi, and Go through self-play",
Silver et al., Science 2018; the bound and the scaling of Q-values as in MuZero, Schrittwieser et
al., Nature 2020, appendix B.
"""

import dataclasses
from typing import Annotated

import chex
import jax
import jax.numpy as jnp
import mctx

from azjax.search.model import ILLEGAL_LOGIT, is_legal
from azjax.search.search import Search, best_action
from azjax.search.tree import ROOT, SearchTree
from azjax.search.tree_search import Noise, TreeSearch
from azjax.support.ranges import Off, Range
from azjax.support.validation import check_above, check_number, check_share


@dataclasses.dataclass(frozen=True)
class PUCTFields(Search):
    """The numbers of searches by PUCT."""

    c_puct: Annotated[float, Range(0.5, 5.0, log=True)] = 1.25
    """Weight of the exploration term (pb_c_init)."""
    c_puct_base: float = 19652.0
    """Visits over which that weight grows (pb_c_base)."""
    dirichlet_alpha: Annotated[float, Range(0.03, 3.0, log=True)] = 0.3
    """Concentration of the noise at the root; about 10 over the number of legal moves."""
    dirichlet_fraction: Annotated[float, Range(0.05, 0.5), Off(0.0)] = 0.25
    """Share of that noise in the root's prior; 0 searches without."""

    def check(self) -> None:
        super().check()
        check_number("c_puct", self.c_puct)
        check_above("c_puct_base", self.c_puct_base, 0)
        check_above("dirichlet_alpha", self.dirichlet_alpha, 0)
        check_share("dirichlet_fraction", self.dirichlet_fraction)


@dataclasses.dataclass(frozen=True)
class PUCT(PUCTFields, TreeSearch):
    """AlphaZero's search (Silver et al. 2018).

    `action_weights` are visit fractions; the action is the most visited.
    """

    name = "puct"

    def sample_noise(self, keys: chex.PRNGKey, num_actions: int) -> Noise:
        """Samples logarithms of the gamma variables of which Dirichlet noise is made, [B, A]."""
        sample = jax.vmap(jax.random.loggamma, in_axes=(0, None, None))
        return Noise(sample(keys, self.dirichlet_alpha, (num_actions,)), keys)

    def prepare_root(
        self, keys: chex.PRNGKey, extra_data: chex.Array, prior_logits: chex.Array
    ) -> chex.Array:
        """Mixes Dirichlet noise [B, A] into the prior of the legal actions, and of no other.

        A Dirichlet variable is a vector of gamma variables over their sum; gamma variables of a
        small alpha underflow, so the sum is taken of their logarithms.
        """
        legal, fraction = is_legal(prior_logits), self.dirichlet_fraction
        noise = jax.nn.softmax(jnp.where(legal, extra_data, ILLEGAL_LOGIT))
        mixed = (1 - fraction) * jax.nn.softmax(prior_logits) + fraction * noise
        smallest = jnp.finfo(mixed.dtype).tiny
        return jnp.where(legal, jnp.log(jnp.maximum(mixed, smallest)), ILLEGAL_LOGIT)

    def select_at_interior(self, node: SearchTree, index: chex.Numeric) -> chex.Array:
        """Selects the legal action of the highest Q-value plus exploration bonus.

        Ties are broken by value, then by prior, then by the noise of the search.
        """
        prior_logits = node.children_prior_logits[ROOT]
        node_visits = node.node_visits[ROOT]
        weight = self.c_puct + jnp.log((node_visits + self.c_puct_base + 1) / self.c_puct_base)
        bonus = jnp.sqrt(node_visits) * jax.nn.softmax(prior_logits)
        bonus = weight * bonus / (1 + node.children_visits[ROOT])
        value = mctx.qtransform_by_parent_and_siblings(node, ROOT)
        score = jnp.where(is_legal(prior_logits), value + bonus, -jnp.inf)
        return best_action(score, value, prior_logits, node.extra_data)
