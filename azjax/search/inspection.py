"""The result of a search for people to read: the actions of its root, and its tree."""

import dataclasses
from typing import NamedTuple

import chex
import jax
import mctx
import numpy as np

from azjax.games import State
from azjax.search.evaluation import is_legal
from azjax.search.result import SearchResult


class RootActions(NamedTuple):
    """The actions of B roots; all values are from the view of the player to move there."""

    prior: np.ndarray  # [B, A] noise included; 0 where illegal
    visits: np.ndarray  # [B, A]
    qvalues: np.ndarray  # [B, A] NaN without a visit
    completed_qvalues: np.ndarray  # [B, A] the mixed value without a visit; NaN where illegal
    action_weights: np.ndarray  # [B, A] the policy target


@dataclasses.dataclass(frozen=True)
class Node:
    """A position in a search tree."""

    index: int  # 0 is the root, i is expanded by simulation i
    parent: int | None  # an index; None for the root
    action: int | None  # from the parent; None for the root
    depth: int
    visits: int
    value: float  # the mean over the subtree, from the view of the player to move at the root
    state: State


def inspect_roots(result: SearchResult) -> RootActions:
    """Returns the statistics of the root actions of B searches.

    The completed Q-values are those of Gumbel, "Policy improvement by planning with Gumbel",
    Danihelka et al., ICLR 2022, appendix D, before they are scaled; PUCT and UCT do not use them.
    """
    tree = result.tree
    logits = tree.children_prior_logits[:, tree.ROOT_INDEX]
    visits = np.asarray(tree.children_visits[:, tree.ROOT_INDEX])
    return RootActions(
        prior=np.asarray(jax.nn.softmax(logits)),
        visits=visits,
        qvalues=np.where(visits > 0, tree.summary().qvalues, np.nan),
        completed_qvalues=np.where(is_legal(logits), _complete_qvalues(tree), np.nan),
        action_weights=np.asarray(result.action_weights),
    )


@jax.jit
@jax.vmap
def _complete_qvalues(tree: mctx.Tree) -> chex.Array:
    """Returns [A] the root's completed Q-values, not scaled by visits."""
    most_visits = tree.children_visits[tree.ROOT_INDEX].max()
    return mctx.qtransform_completed_by_mix_value(
        tree,
        tree.ROOT_INDEX,
        value_scale=1 / most_visits,
        maxvisit_init=0.0,
        rescale_values=False,
    )


def inspect_tree(result: SearchResult, index: int = 0, min_visits: int = 1) -> list[Node]:
    """Returns the nodes of a search tree in breadth-first order.

    Args:
      result: B searches.
      index: Which of them.
      min_visits: Nodes with fewer visits are left out.
    """
    tree = result.tree
    children, visits, values, states = jax.device_get(
        jax.tree.map(
            lambda x: x[index],
            (tree.children_index, tree.node_visits, tree.node_values, tree.embeddings),
        )
    )
    mover = int(states.current_player[0])
    values = np.where(states.current_player == mover, values, -values)
    values = np.where(states.terminated, states.rewards[:, mover], values)

    def make_node(i, parent, action, depth):
        state = jax.tree.map(lambda x: x[i], states)
        return Node(i, parent, action, depth, int(visits[i]), float(values[i]), state)

    nodes = [make_node(0, None, None, 0)]
    for node in nodes:  # the list grows meanwhile
        # Not by `tree.parents`: nodes that no edge leads to have a parent too.
        below = [(a, int(i)) for a, i in enumerate(children[node.index]) if i >= 0]
        nodes += [
            make_node(i, node.index, action, node.depth + 1)
            for action, i in below
            if visits[i] >= min_visits
        ]
    return nodes
