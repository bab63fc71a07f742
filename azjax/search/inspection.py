"""The result of a search for people to read: the actions of its root, and its tree."""

import dataclasses
from typing import Any, NamedTuple

import chex
import jax
import mctx
import numpy as np

from azjax.search.models.evaluation import is_legal
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
    is_terminal: bool  # whether the action into it ends the game; never under a learnt model
    state: Any  # the model's embedding; over the rules the game's state


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
    tree = jax.device_get(jax.tree.map(lambda x: x[index], tree.replace(extra_data=None)))

    def make_node(
        i: int, parent: Node | None, action: int | None, value: float, *, is_terminal: bool
    ) -> Node:
        return Node(
            index=i,
            parent=None if parent is None else parent.index,
            action=action,
            depth=0 if parent is None else parent.depth + 1,
            visits=int(tree.node_visits[i]),
            value=value,
            is_terminal=is_terminal,
            state=jax.tree.map(lambda x: x[i], tree.embeddings),
        )

    nodes = [make_node(0, None, None, float(tree.node_values[0]), is_terminal=False)]
    signs = [1.0]  # that turn the value of a node into one from the view of the root
    for parent, sign in zip(nodes, signs, strict=False):  # both lists grow meanwhile
        # Not by `tree.parents`: nodes that no edge leads to have a parent too.
        for action, child in enumerate(tree.children_index[parent.index].tolist()):
            if child < 0 or tree.node_visits[child] < min_visits:
                continue
            discount = float(tree.children_discounts[parent.index, action])
            reward = float(tree.children_rewards[parent.index, action])
            value = discount * float(tree.node_values[child]) if discount else reward
            node = make_node(child, parent, action, sign * value, is_terminal=discount == 0)
            nodes.append(node)
            signs.append(sign * (discount or 1.0))
    return nodes


def most_visited_line(result: SearchResult, index: int, action: int) -> list[int]:
    """Returns the most visited actions after an action of a root, the action itself left out.

    Args:
      result: B searches.
      index: Which of them.
      action: An action of its root.
    """
    tree, line = result.tree, []
    children, visits = np.asarray(tree.children_index[index]), tree.children_visits[index]
    node = children[tree.ROOT_INDEX, action]
    while node >= 0 and visits[node].any():
        line.append(int(visits[node].argmax()))
        node = children[node, line[-1]]
    return line
