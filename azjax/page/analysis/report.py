"""A search as plain data: what the page shows of it."""

import dataclasses
import functools
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


class SearchSummary(NamedTuple):
    """What is kept of a search that is over: not its tree, which takes megabytes."""

    found: PositionSearch
    lines: dict[int, tuple[int, ...]]  # as of `Analysis`

    @property
    def value(self) -> float:
        """The value from the view of the player to move."""
        return self.found.value


@dataclasses.dataclass(frozen=True, eq=False)
class Analysis:
    """A search so far. Its tree is read when it is asked for: programs want the moves alone."""

    found: PositionSearch
    result: SearchResult  # [1, ...] NumPy arrays

    @property
    def value(self) -> float:
        """The value from the view of the player to move."""
        return self.found.value

    @property
    def simulations(self) -> int:
        """The number of simulations; 0 if the search does not tell."""
        return 0 if self.found.visits is None else int(self.found.visits.sum())

    @functools.cached_property
    def nodes(self) -> tuple[TreeNode, ...]:
        """The most visited nodes, breadth first; none if the search has no tree."""
        return () if self.result.tree is None else _read_nodes(self.result)

    @functools.cached_property
    def lines(self) -> dict[int, tuple[int, ...]]:
        """By visited action: it, and the most visited actions after it."""
        visited = [] if self.found.visits is None else np.flatnonzero(self.found.visits).tolist()
        return {action: (action, *self._line_after(action)) for action in visited}

    def _line_after(self, action: int) -> list[int]:
        return most_visited_line(self.result, 0, action)[: _LONGEST_LINE - 1]


def summarise(analysis: Analysis) -> SearchSummary:
    """Returns a search without its tree."""
    return SearchSummary(analysis.found, analysis.lines)


def read_analyses(game: Game, result: SearchResult, count: int) -> list[Analysis]:
    """Returns the first `count` of B searches."""
    result = jax.device_get(result)

    def take(index: int) -> SearchResult:
        return jax.tree.map(lambda x: x[index : index + 1].copy(), result)

    found = read_searches(game, result)[:count]
    return [Analysis(one, take(index)) for index, one in enumerate(found)]


def _read_nodes(result: SearchResult) -> tuple[TreeNode, ...]:
    visits = np.sort(result.tree.node_visits[0])[::-1]
    least = max(1, int(visits[:_MOST_NODES][-1]))
    nodes = inspect_tree(result, 0, least)
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
