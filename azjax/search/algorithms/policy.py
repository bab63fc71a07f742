"""No search at all: the network's policy and value, as the result that a search would have."""

from typing import Any

import chex
import jax

from azjax.search.config import SearchConfig, SearchHyperparameters
from azjax.search.models.model import Model
from azjax.search.result import SearchResult, likeliest_action


def policy_search(
    model: Model,
    config: SearchConfig,
    hyperparameters: SearchHyperparameters,
    params: Any,
    keys: chex.PRNGKey,
    states: Any,
) -> SearchResult:
    """Returns the likeliest actions, and the policy as action weights; there is no tree.

    Ties, such as all actions of a uniform policy, are broken at random.
    """
    del config, hyperparameters
    root = model.root(params, keys, states)
    logits, value = root.prior_logits, root.value
    action = likeliest_action(logits, keys)
    return SearchResult(action, jax.nn.softmax(logits), value, tree=None, prior_logits=logits)
