"""What the page shows of a search, as plain data."""

from typing import NamedTuple

import jax
import numpy as np

from azjax.evaluation import PositionSearch, read_searches
from azjax.games import Game
from azjax.search import SearchResult, inspect_tree, most_visited_line

MOST_NODES = 60  # that are shown of a tree
_LONGEST_LINE = 8  # moves


class TreeNode(NamedTuple):
    """A position in a search tree."""

    number: int  # 0 is the root
    parent: int | None
    actions: tuple[int, ...]  # from the root
    visits: int
    value: float  # the mean, from the view of the player to move at the root


class Analysis(NamedTuple):
    """A search so far, with its tree, which takes megabytes: what is shown is in its summary."""

    found: PositionSearch
    result: SearchResult  # [1, ...] NumPy arrays


class SearchSummary(NamedTuple):
    """What is shown of a search, and may be kept."""

    found: PositionSearch
    nodes: tuple[TreeNode, ...]  # the most visited, breadth first; none if there is no tree
    lines: dict[int, tuple[int, ...]]  # by visited action: it, and the most visited ones after it

    @property
    def simulations(self) -> int:
        """The number of simulations; 0 if the search does not tell."""
        return 0 if self.found.visits is None else int(self.found.visits.sum())


def find_losses(found: PositionSearch) -> dict[int, float]:
    """Returns by visited action how many percent of the expected result it loses.

    The best move is the one that the search plays: others may seem better after few visits.
    """
    if found.visits is None or found.q_values is None:
        return {}
    visited = np.flatnonzero(found.visits).tolist()
    values = {action: float(found.q_values[action]) for action in visited}
    best = values.get(found.action, max(values.values(), default=0.0))
    return {action: 50 * max(0.0, best - value) for action, value in values.items()}


def summarize(analysis: Analysis) -> SearchSummary:
    """Returns what is shown of a search."""
    found, result = analysis
    visited = [] if found.visits is None else np.flatnonzero(found.visits).tolist()
    lines = {
        action: (action, *most_visited_line(result, 0, action)[: _LONGEST_LINE - 1])
        for action in visited
    }
    return SearchSummary(found, () if result.tree is None else _read_nodes(result), lines)


def read_analyses(game: Game, result: SearchResult, count: int) -> list[Analysis]:
    """Returns the first `count` of B searches."""
    result = jax.device_get(result)

    def take(index: int) -> SearchResult:
        return jax.tree.map(lambda x: x[index : index + 1].copy(), result)

    found = read_searches(game, result)[:count]
    return [Analysis(one, take(index)) for index, one in enumerate(found)]


def _read_nodes(result: SearchResult) -> tuple[TreeNode, ...]:
    visits = np.sort(result.tree.node_visits[0])[::-1]
    least = max(1, int(visits[:MOST_NODES][-1]))
    nodes = inspect_tree(result, 0, least)
    most_visited = sorted(nodes, key=lambda node: (-node.visits, node.depth))[:MOST_NODES]
    kept = sorted(most_visited, key=lambda node: node.depth)
    paths: dict[int, tuple[int, ...]] = {}
    tree = []
    for node in kept:  # a parent has at least the visits of its children, and comes before them
        above = () if node.parent is None else paths[node.parent]
        paths[node.index] = above if node.action is None else (*above, node.action)
        tree.append(TreeNode(node.index, node.parent, paths[node.index], node.visits, node.value))
    return tuple(tree)
