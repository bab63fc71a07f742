"""No search at all: the network's policy and value, as the result that a search would have."""

import dataclasses
from typing import Any

import chex
import jax

from azjax.search.model import Model
from azjax.search.search import Search, SearchResult, likeliest_action


@dataclasses.dataclass(frozen=True)
class Policy(Search):
    """The network without search: it makes no simulations, whatever their number."""

    name = "policy"

    simulations_made = 0

    def __call__(
        self,
        model: Model,
        params: Any,
        keys: chex.PRNGKey,
        states: Any,
        *,
        roots_alone: bool = False,
    ) -> SearchResult:
        """Returns the likeliest actions, and the policy as action weights; there is no tree.

        Ties, such as all actions of a uniform policy, are broken at random.
        """
        root = model.root(params, keys, states)
        logits, value = root.prior_logits, root.value
        action = likeliest_action(logits, keys)
        return SearchResult(action, jax.nn.softmax(logits), value, tree=None, prior_logits=logits)
