"""Tree search over a model: Gumbel, PUCT, UCT or a registered search, many positions at once."""

from typing import Any

import chex
import jax.numpy as jnp

from azjax.search.algorithms.gumbel import gumbel_search
from azjax.search.algorithms.mctx_policies import mctx_gumbel_search, mctx_puct_search
from azjax.search.algorithms.policy import policy_search
from azjax.search.algorithms.policy_rollouts import policy_rollouts_search
from azjax.search.algorithms.puct import puct_search
from azjax.search.algorithms.uct import uct_search
from azjax.search.config import MAX_SIMULATIONS, SearchConfig, SearchHyperparameters
from azjax.search.inspection import (
    Node,
    RootActions,
    inspect_roots,
    inspect_tree,
    most_visited_line,
)
from azjax.search.models.evaluation import (
    ILLEGAL_LOGIT,
    Evaluate,
    Evaluation,
    evaluate_with_network,
    is_legal,
    mask_illegal,
)
from azjax.search.models.learnt import learnt_model
from azjax.search.models.model import Model, Root, Transition
from azjax.search.models.network_model import network_model
from azjax.search.models.rollouts import evaluate_with_mixture, evaluate_with_rollouts
from azjax.search.models.rules import discount_of_mover, reward_of_mover, rules_model
from azjax.search.pieces import SearchPieces, TracedInputs
from azjax.search.proof import Bounds, pack_bounds, tightest_bounds, unpack_bounds
from azjax.search.registry import (
    Search,
    check_search,
    check_search_config,
    get_search,
    plugin_of_search,
    register_search,
    runs_in_pieces,
    search_names,
    used_hyperparameters,
    with_algorithm,
)
from azjax.search.result import SearchResult, likeliest_action, with_root_alone
from azjax.search.timed_search import TimedSearch
from azjax.search.tree import ROOT
from azjax.search.tree_search import Noise, SearchState, SelectAction, TreeSearch
from azjax.support.returned import Shaped, check_returned

__all__ = [
    "ILLEGAL_LOGIT",
    "MAX_SIMULATIONS",
    "ROOT",
    "Bounds",
    "Evaluate",
    "Evaluation",
    "Model",
    "Node",
    "Noise",
    "Root",
    "RootActions",
    "Search",
    "SearchConfig",
    "SearchHyperparameters",
    "SearchPieces",
    "SearchResult",
    "SearchState",
    "SelectAction",
    "TimedSearch",
    "TracedInputs",
    "Transition",
    "TreeSearch",
    "check_search",
    "check_search_config",
    "discount_of_mover",
    "evaluate_with_mixture",
    "evaluate_with_network",
    "evaluate_with_rollouts",
    "get_search",
    "gumbel_search",
    "inspect_roots",
    "inspect_tree",
    "is_legal",
    "learnt_model",
    "likeliest_action",
    "mask_illegal",
    "most_visited_line",
    "network_model",
    "pack_bounds",
    "plugin_of_search",
    "policy_rollouts_search",
    "puct_search",
    "register_search",
    "reward_of_mover",
    "rules_model",
    "runs_in_pieces",
    "search",
    "search_names",
    "tightest_bounds",
    "uct_search",
    "unpack_bounds",
    "used_hyperparameters",
    "with_algorithm",
    "with_root_alone",
]

_OF_GUMBEL = "gumbel_scale", "value_scale", "maxvisit_init"
_OF_PUCT = "c_puct", "c_puct_base", "dirichlet_alpha", "dirichlet_fraction"

register_search("gumbel", gumbel_search, _OF_GUMBEL)
register_search("puct", puct_search, _OF_PUCT)
register_search("uct", uct_search, ("c_uct",))
register_search("policy", policy_search, ())
register_search("policy_rollouts", policy_rollouts_search, ("prior_weight",))
register_search("mctx_gumbel", mctx_gumbel_search, _OF_GUMBEL)
register_search("mctx_puct", mctx_puct_search, _OF_PUCT)


def search(
    model: Model,
    config: SearchConfig,
    hyperparameters: SearchHyperparameters,
    params: Any,
    keys: chex.PRNGKey,
    states: Any,
    *,
    roots_alone: bool = False,
) -> SearchResult:
    """Searches B positions at once by the algorithm that the configuration names.

    Args:
      model: What to search over, such as `rules_model(game, evaluate)`.
      config: The algorithm and its sizes, static.
      hyperparameters: Those of the algorithm, traced.
      params: The model's, such as a network's variables.
      keys: [B], one a position, so that no search depends on its neighbours.
      states: [B] what the model represents, such as game states, none finished.
      roots_alone: Whether the result has the roots of the trees alone, [B, 1, ...].
    """
    check_search_config(config)
    algorithm = get_search(config.algorithm)
    arguments = model, config, hyperparameters, params, keys, states
    if isinstance(algorithm, TreeSearch):
        return algorithm(*arguments, roots_alone=roots_alone)
    result = algorithm(*arguments)
    _check_result(config.algorithm, result, len(keys), model.num_actions)
    return with_root_alone(result) if roots_alone else result


def _check_result(name: str, result: Any, batch: int, num_actions: int) -> None:
    """Raises InputError if a registered function returns no result of B searches."""
    check_returned(f"result of search {name!r}", result, SearchResult)
    for field, expected in {
        "action": Shaped((batch,), jnp.integer),
        "action_weights": Shaped((batch, num_actions), jnp.floating),
        "value": Shaped((batch,), jnp.floating),
    }.items():
        check_returned(f"{field} of search {name!r}", getattr(result, field), expected)
