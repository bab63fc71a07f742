"""A search as plain data: what the page shows of it."""

import dataclasses
from typing import NamedTuple

import jax
import numpy as np

from azjax.evaluation import PositionSearch, read_searches
from azjax.games import Game
from azjax.search import Node, SearchResult, inspect_tree, most_visited_line

_MOST_NODES = 60  # that are shown of a tree
_LONGEST_LINE = 8  # moves


class TreeNode(NamedTuple):
    """A position in a search tree."""

    number: int  # 0 is the root
    parent: int | None
    actions: tuple[int, ...]  # from the root
    visits: int
    value: float  # the mean, from the view of the player to move at the root


@dataclasses.dataclass(frozen=True, eq=False)
class Analysis:
    """A search so far."""

    simulations: int
    found: PositionSearch
    nodes: tuple[TreeNode, ...]  # the most visited, breadth first; none if the search has no tree
    lines: dict[int, tuple[int, ...]]  # by action: it, and the most visited actions after it

    @property
    def value(self) -> float:
        """The value from the view of the player to move."""
        return self.found.value


def read_analyses(game: Game, result: SearchResult, count: int) -> list[Analysis]:
    """Returns the first `count` of B searches."""
    result = jax.device_get(result)
    found = read_searches(game, result)[:count]
    return [_read_analysis(result, one, i) for i, one in enumerate(found)]


def _read_analysis(result: SearchResult, found: PositionSearch, index: int) -> Analysis:
    if found.visits is None:
        return Analysis(0, found, (), {found.action: (found.action,)})
    lines = {
        action: (action, *most_visited_line(result, index, action)[: _LONGEST_LINE - 1])
        for action in np.flatnonzero(found.visits).tolist()
    }
    return Analysis(int(found.visits.sum()), found, _read_nodes(result, index), lines)


def _read_nodes(result: SearchResult, index: int) -> tuple[TreeNode, ...]:
    visits = np.sort(result.tree.node_visits[index])[::-1]
    least = max(1, int(visits[:_MOST_NODES][-1]))
    nodes = inspect_tree(result, index, least)
    kept = sorted(sorted(nodes, key=_by_visits)[:_MOST_NODES], key=lambda node: node.depth)
    paths: dict[int, tuple[int, ...]] = {}
    tree = []
    for node in kept:  # a parent has at least the visits of its children, and comes before them
        above = () if node.parent is None else paths[node.parent]
        paths[node.index] = above if node.action is None else (*above, node.action)
        tree.append(TreeNode(node.index, node.parent, paths[node.index], node.visits, node.value))
    return tuple(tree)


def _by_visits(node: Node) -> tuple[int, int]:
    return -node.visits, node.depth
