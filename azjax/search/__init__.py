"""Tree search over a game and an evaluation: Gumbel, PUCT or UCT, many positions at once."""

from typing import Any

import chex

from azjax.games import Game
from azjax.search.config import SearchConfig, SearchHyperparameters
from azjax.search.evaluation import (
    Evaluate,
    Evaluation,
    evaluate_with_network,
    mask_illegal,
)
from azjax.search.gumbel import gumbel_search
from azjax.search.inspection import Node, RootActions, inspect_roots, inspect_tree
from azjax.search.puct import puct_search
from azjax.search.result import SearchResult
from azjax.search.rollouts import evaluate_with_mixture, evaluate_with_rollouts
from azjax.search.simulation import discount_of_mover, reward_of_mover
from azjax.search.uct import uct_search

__all__ = [
    "Evaluate",
    "Evaluation",
    "Node",
    "RootActions",
    "SearchConfig",
    "SearchHyperparameters",
    "SearchResult",
    "discount_of_mover",
    "evaluate_with_mixture",
    "evaluate_with_network",
    "evaluate_with_rollouts",
    "gumbel_search",
    "inspect_roots",
    "inspect_tree",
    "mask_illegal",
    "puct_search",
    "reward_of_mover",
    "search",
    "uct_search",
]

_ALGORITHMS = {"gumbel": gumbel_search, "puct": puct_search, "uct": uct_search}


def search(
    game: Game,
    evaluate: Evaluate,
    config: SearchConfig,
    hyperparameters: SearchHyperparameters,
    parameters: Any,
    keys: chex.PRNGKey,
    states: Any,
) -> SearchResult:
    """Searches B positions at once by the algorithm that the configuration names.

    See `gumbel_search`, `puct_search` and `uct_search` for the arguments and what the result means.
    """
    algorithm = _ALGORITHMS[config.algorithm]
    return algorithm(game, evaluate, config, hyperparameters, parameters, keys, states)
