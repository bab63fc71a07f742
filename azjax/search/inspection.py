"""The result of a search for people to read: the actions of its root, its tree and a plot of it."""

import dataclasses
from typing import TYPE_CHECKING, Any, NamedTuple

import chex
import jax
import numpy as np

from azjax.games import Game
from azjax.search.model import is_legal
from azjax.search.search import SearchResult

if TYPE_CHECKING:  # importing matplotlib takes longer than --help should
    from matplotlib.axes import Axes

_COLORMAP = "PuOr"  # purple wins, orange loses: readable without red and green


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
    """Returns the statistics of the root actions of B searches, by NumPy: nothing is compiled.

    The completed Q-values are as Gumbel's, "Policy improvement by planning with Gumbel",
    Danihelka et al., ICLR 2022, appendix D, before they are scaled; PUCT and UCT do not use them.
    """
    tree = result.tree

    def at_root(nodes: chex.Array) -> np.ndarray:
        return np.asarray(nodes)[:, tree.ROOT_INDEX]

    logits, visits = at_root(tree.children_prior_logits), at_root(tree.children_visits)
    prior = np.exp(logits - logits.max(axis=1, keepdims=True))
    prior /= prior.sum(axis=1, keepdims=True)
    means = at_root(tree.children_rewards)
    means = means + at_root(tree.children_discounts) * at_root(tree.children_values)
    qvalues = np.where(visits > 0, means, np.nan)
    completed = _complete_qvalues(qvalues, visits, prior, at_root(tree.raw_values))
    return RootActions(
        prior=prior,
        visits=visits,
        qvalues=qvalues,
        completed_qvalues=np.where(is_legal(logits), completed, np.nan),
        action_weights=np.asarray(result.action_weights),
    )


def _complete_qvalues(
    qvalues: np.ndarray, visits: np.ndarray, prior: np.ndarray, raw_values: np.ndarray
) -> np.ndarray:
    """Returns the Q-values [B, A] with the mixed value, of the evaluation too, without a visit."""
    smallest, total = np.finfo(prior.dtype).tiny, visits.sum(axis=1, dtype=prior.dtype)
    weights = np.where(visits > 0, np.maximum(prior, smallest), 0)
    means = (weights * np.nan_to_num(qvalues)).sum(axis=1)
    means /= np.maximum(weights.sum(axis=1), smallest)
    mixed = (raw_values + total * means) / (1 + total)
    return np.where(visits > 0, qvalues, mixed[:, None])


def inspect_tree(result: SearchResult, index: int = 0, min_visits: int = 1) -> list[Node]:
    """Returns the nodes of the tree of one of B searches in breadth-first order.

    Nodes with fewer visits than `min_visits` are left out.
    """
    tree = result.tree
    tree = jax.device_get(jax.tree.map(lambda x: x[index], tree.replace(extra_data=None)))

    def make_node(i: int, **fields: Any) -> Node:
        state = jax.tree.map(lambda x: x[i], tree.embeddings)
        return Node(index=i, visits=int(tree.node_visits[i]), state=state, **fields)

    value = float(tree.node_values[0])
    nodes = [make_node(0, parent=None, action=None, depth=0, value=value, is_terminal=False)]
    signs = [1.0]  # that turn the value of a node into one from the view of the root
    for parent, sign in zip(nodes, signs, strict=False):  # both lists grow meanwhile
        # Not by `tree.parents`: nodes that no edge leads to have a parent too.
        for action, child in enumerate(tree.children_index[parent.index].tolist()):
            if child < 0 or tree.node_visits[child] < min_visits:
                continue
            discount = float(tree.children_discounts[parent.index, action])
            reward = float(tree.children_rewards[parent.index, action])
            value = discount * float(tree.node_values[child]) if discount else reward
            node = make_node(
                child,
                parent=parent.index,
                action=action,
                depth=parent.depth + 1,
                value=sign * value,
                is_terminal=discount == 0,
            )
            nodes.append(node)
            signs.append(sign * (discount or 1.0))
    return nodes


def most_visited_line(result: SearchResult, index: int, action: int) -> list[int]:
    """Returns the most visited actions after an action of the root, which is left out.

    The index says which of B searches.
    """
    tree, line = result.tree, []
    children, visits = np.asarray(tree.children_index[index]), tree.children_visits[index]
    node = children[tree.ROOT_INDEX, action]
    while node >= 0 and visits[node].any():
        line.append(int(visits[node].argmax()))
        node = children[node, line[-1]]
    return line


def plot_tree(axes: "Axes", game: Game, nodes: list[Node]) -> None:
    """Plots a search tree, its root at the top.

    A node shows the move into it, its visits, and its value from the view of the player to move at
    the root, as a number and as a color. The width of an edge grows with its visits. Nodes are as
    from `inspect_tree`: in breadth-first order, every parent among them.
    """
    import matplotlib

    positions = {i: (x, -depth) for i, (x, depth) in _layout(nodes).items()}
    colormap = matplotlib.colormaps[_COLORMAP]
    most = max(node.visits for node in nodes)
    for node in nodes:
        x, y = positions[node.index]
        if node.parent is not None:
            above = positions[node.parent]
            width = 0.5 + 5 * node.visits / most
            axes.plot([above[0], x], [above[1], y], color="0.6", linewidth=width, zorder=1)
        axes.text(
            x,
            y,
            _label(game, node),
            ha="center",
            va="center",
            fontsize=8,
            color="white" if abs(node.value) > 0.6 else "black",
            bbox={
                "boxstyle": "round",
                "facecolor": colormap((1 + node.value) / 2),
                "edgecolor": "black" if node.is_terminal else "0.6",
            },
        )
    axes.set_axis_off()
    axes.set_xlim(-0.6, max(x for x, _ in positions.values()) + 0.6)
    axes.set_ylim(min(y for _, y in positions.values()) - 0.4, 0.4)


def _layout(nodes: list[Node]) -> dict[int, tuple[float, int]]:
    """Returns each node's column and depth: leaves side by side, parents above their middle."""
    children: dict[int, list[Node]] = {node.index: [] for node in nodes}
    for node in nodes:
        if node.parent is not None:
            children[node.parent].append(node)
    layout: dict[int, tuple[float, int]] = {}
    num_leaves = 0

    def arrange(node: Node) -> float:
        nonlocal num_leaves
        below = [arrange(child) for child in children[node.index]]
        x = (below[0] + below[-1]) / 2 if below else num_leaves
        num_leaves += not below
        layout[node.index] = (x, node.depth)
        return x

    arrange(nodes[0])
    return layout


def _label(game: Game, node: Node) -> str:
    move = "root" if node.action is None else game.format_action(node.action)
    return f"{move}\n{node.visits}\n{node.value:+.2f}"
