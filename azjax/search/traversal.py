"""One simulation in B trees: select a path, expand a leaf, back its value up.

In a loop that descends level by level, each level is some launches of small kernels on an
accelerator, and the host waits for the condition of each. In wide trees all nodes select at once,
on the path or not, which a GPU does in the time of one; the path is found by doubling pointers, and
the value is backed up everywhere at once. The results are the same.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import chex
import jax
import jax.numpy as jnp

from azjax.search.model import Evaluation, Transition
from azjax.search.proof import bounds_of_node, pack_bounds, tightest_bounds, unpack_bounds
from azjax.search.tree import (
    NO_PARENT,
    ROOT,
    UNVISITED,
    BatchedTree,
    Edge,
    gather,
    pack,
    unpack,
    where_leading,
)

# (trees, node [B]) -> action [B]
SelectBatch = Callable[[BatchedTree, chex.Array], chex.Array]
# (trees, node [B], value [B] from below) -> its new value [B], its new statistics [B, ...]
BackUpBatch = Callable[[BatchedTree, chex.Array, chex.Array], tuple[chex.Array, Any]]

# trees -> action [N, B] of every node
SelectEverywhere = Callable[[BatchedTree], chex.Array]


class Path(NamedTuple):
    """The end of a simulation's path in each tree, or [L, B], the ends of L simulations."""

    parent: chex.Array  # [B] the last node but one; NO_PARENT where the root is to be expanded
    action: chex.Array  # [B] the action taken there
    node: chex.Array  # [B] the last node: UNVISITED, or a terminal or proven one
    is_end: chex.Array  # [B] bool


def select_path(
    tree: BatchedTree,
    select_at_root: SelectBatch,
    select_at_interior: SelectBatch,
    num_observed: chex.Numeric | None = None,
) -> Path:
    """Descends from each root to an action not tried yet, or to a terminal or proven node.

    Nodes from `num_observed` on have no evaluation yet: there a path ends too.
    """

    def descend(select: SelectBatch, path: Path) -> Path:
        action = select(tree, path.node)
        child = gather(tree.children, path.node)[jnp.arange(path.node.shape[0]), action]
        is_end = (child == UNVISITED) | (unpack(gather(tree.edge, child)).discount == 0)
        if num_observed is not None:
            is_end |= child >= num_observed
        if tree.bounds is not None:
            is_end |= unpack_bounds(gather(tree.bounds, child)).is_proven
        further = Path(path.node, action, child, is_end)
        return jax.tree.map(lambda old, new: jnp.where(path.is_end, old, new), path, further)

    no_parent = tree.parent[ROOT]
    path = Path(
        parent=no_parent,
        action=no_parent,
        node=jnp.full_like(no_parent, ROOT),
        is_end=unpack(tree.edge[ROOT]).visits == 0,
    )
    path = descend(select_at_root, path)
    return jax.lax.while_loop(
        lambda path: ~path.is_end.all(), functools.partial(descend, select_at_interior), path
    )


def take_action(
    tree: BatchedTree, path: Path, transition: Callable[[chex.Array, Any], Transition]
) -> Transition:
    """Returns the outcome of the action at the end of each path; at roots, the roots' embedding.

    Args:
      tree: B trees.
      path: [B], or [L, B].
      transition: Takes actions [B] at embeddings [B, ...], or [L, B] at [L, B, ...]; its result is
        discarded at roots.
    """
    before = jax.tree.map(lambda x: gather(x, jnp.maximum(path.parent, ROOT)), tree.embedding)
    outcome = transition(path.action, before)
    embedding = jax.tree.map(functools.partial(_where_root, path), before, outcome.embedding)
    return outcome._replace(embedding=embedding)


def _where_root(path: Path, root: chex.Array, other: chex.Array) -> chex.Array:
    """Returns the arrays [B, ...], or [L, B, ...], of roots where paths expand roots."""
    return where_leading(path.parent == NO_PARENT, root, other)


def expand(
    tree: BatchedTree,
    path: Path,
    leaf: chex.Array,
    transition: Transition,
    evaluation: Evaluation,
    statistics: Any = None,
    *,
    keeps_nodes: bool = False,
) -> BatchedTree:
    """Returns the trees with node `leaf` at the end of each path, evaluated and not visited yet.

    Where the path ends at a terminal or proven node or is empty, no edge leads to the new node.

    Args:
      tree: B trees.
      path: [B].
      leaf: [] int32, the index of the new nodes.
      transition: [B], from `take_action`.
      evaluation: [B], of its embedding; the value of a terminal node is 0.
      statistics: [B, ...] the search's own.
      keeps_nodes: Whether the first new node of a tree may have another index than the root's,
        which is written too where a path expands the root.
    """
    reward, discount, embedding = transition
    prior_logits, value = evaluation
    edge = Edge(visits=jnp.zeros_like(value), value=value, reward=reward, discount=discount)
    node = BatchedTree(
        embedding=embedding,
        prior_logits=prior_logits,
        raw_value=value,
        edge=pack(edge),
        bounds=None,
        returns=None if tree.returns is None else _returns(tree, path, edge),
        statistics=statistics,
        children=None,
        parent=path.parent,
        action_from_parent=path.action,
    )
    child = jnp.where(path.node == UNVISITED, leaf, path.node)
    batch = jnp.arange(path.parent.shape[0])
    index = _or_out_of_range(tree, path.parent), batch, path.action
    children = tree.children.at[index].set(child, mode="drop")

    # Children and bounds of a new node are not written: they are as they were from the start. XLA
    # may write constants before it selects the path, and then copies the whole array each time.
    def write(nodes: chex.Array, new: chex.Array) -> chex.Array:
        nodes = jax.lax.dynamic_update_index_in_dim(nodes, new, leaf, 0)
        return nodes.at[ROOT].set(_where_root(path, new, nodes[ROOT])) if keeps_nodes else nodes

    written = jax.tree.map(write, tree._replace(bounds=None, children=None), node)
    return written._replace(bounds=tree.bounds, children=children)


def _returns(tree: BatchedTree, path: Path, edge: Edge) -> chex.Array:
    """Returns [B, 2]: the new nodes' returns, from their parents' and their edges."""
    before = gather(tree.returns, jnp.maximum(path.parent, ROOT))
    reward, discount = jnp.unstack(before, axis=-1)
    further = jnp.stack([reward + discount * edge.reward, discount * edge.discount], axis=-1)
    at_root = jnp.array([0.0, 1.0])
    return jnp.where((path.parent == NO_PARENT)[:, None], at_root, further)


def backward(
    tree: BatchedTree, node: chex.Array, back_up: BackUpBatch | None = None
) -> BatchedTree:
    """Backs up the value of one node [B] of each tree: a visit of it and of all its ancestors.

    The value of a node becomes the mean of the values that are backed up to it, or what a rule
    gives, after the values of its children. Where results are proven, bounds are backed up too, and
    values lie within them.
    """
    batch = jnp.arange(node.shape[0])

    def visit(carry):
        node, value, edges, bounds, statistics = carry
        now = tree._replace(edge=edges, bounds=bounds, statistics=statistics)
        here, index = jnp.maximum(node, ROOT), (_or_out_of_range(tree, node), batch)
        edge = unpack(gather(edges, here))
        if back_up is None:
            new = (edge.value * edge.visits + value) / (edge.visits + 1)
        else:
            new, changed = back_up(now, here, value)
            statistics = jax.tree.map(
                lambda x, y: x.at[index].set(y, mode="drop"), statistics, changed
            )
        if bounds is not None:
            # Of a kept node the children may be dropped that have proven its bounds.
            packed = tightest_bounds(pack_bounds(bounds_of_node(now, here)), gather(bounds, here))
            bounds, proven = bounds.at[index].set(packed, mode="drop"), unpack_bounds(packed)
            value, new = proven.clip(value), proven.clip(new)
        updated = pack(edge._replace(visits=edge.visits + 1, value=new))
        edges = edges.at[index].set(updated, mode="drop")
        parent = jnp.where(node == NO_PARENT, NO_PARENT, gather(tree.parent, here))
        return parent, edge.reward + edge.discount * value, edges, bounds, statistics

    carry = node, gather(tree.raw_value, node), tree.edge, tree.bounds, tree.statistics
    _, _, edges, bounds, statistics = jax.lax.while_loop(
        lambda carry: (carry[0] != NO_PARENT).any(), visit, carry
    )
    return tree._replace(edge=edges, bounds=bounds, statistics=statistics)


def _or_out_of_range(tree: BatchedTree, node: chex.Array) -> chex.Array:
    """Returns the nodes [B], N in place of NO_PARENT: writes there are dropped."""
    return jnp.where(node == NO_PARENT, len(tree.parent), node)


def select_path_at_once(
    tree: BatchedTree, select_at_root: SelectBatch, select_everywhere: SelectEverywhere
) -> tuple[Path, chex.Array]:
    """Finds in each wide tree the path that `select_path` descends; nothing is proven.

    Returns:
      The ends of the paths [B]; bool [N, B], which nodes are on them, but for a new one.
    """
    root = jnp.zeros_like(tree.parent[ROOT])
    actions = select_everywhere(tree).at[ROOT].set(select_at_root(tree, root))
    next_node = jnp.take_along_axis(tree.children, actions[..., None], axis=-1)[..., 0]
    is_passed = _follow(tree, next_node)
    index = jnp.arange(len(actions), dtype=jnp.int32)[:, None]
    last = jnp.where(is_passed, index, ROOT).max(axis=0)  # children have higher indices
    is_terminal = (last != ROOT) & (unpack(gather(tree.edge, last)).discount == 0)
    end = Path(
        parent=jnp.where(is_terminal, gather(tree.parent, last), last),
        action=jnp.where(is_terminal, gather(tree.action_from_parent, last), gather(actions, last)),
        node=jnp.where(is_terminal, last, UNVISITED),
        is_end=jnp.ones_like(is_terminal),
    )
    is_new = unpack(tree.edge[ROOT]).visits == 0
    no_path = Path(tree.parent[ROOT], tree.parent[ROOT], root, jnp.ones_like(is_new))
    return jax.tree.map(lambda x, y: jnp.where(is_new, x, y), no_path, end), is_passed


def _follow(tree: BatchedTree, next_node: chex.Array) -> chex.Array:
    """Returns [N, B] bool: the nodes that one comes to from the root, given each node's next.

    A pointer leads from a node to its parent, if it is the parent's next, and then to ever farther
    ancestors. That of a node on the path ends at the root.
    """
    num_nodes = len(next_node)
    nowhere = jnp.int32(num_nodes)
    index = jnp.arange(num_nodes, dtype=jnp.int32)[:, None]
    parent = jnp.maximum(tree.parent, ROOT)
    is_next = gather(next_node, parent) == index
    pointer = jnp.where(is_next, parent, nowhere).at[ROOT].set(ROOT)
    for _ in range((num_nodes - 1).bit_length()):  # a path has fewer than N edges
        further = gather(pointer, jnp.minimum(pointer, num_nodes - 1))
        pointer = jnp.where(pointer == nowhere, nowhere, further)
    return pointer == ROOT


def backward_at_once(tree: BatchedTree, end: chex.Array, is_passed: chex.Array) -> BatchedTree:
    """Backs up the value of the end [B] of each path as `backward` does, in wide trees."""
    assert tree.returns is not None, "a wide tree has them"
    is_end = jnp.arange(len(tree.parent), dtype=jnp.int32)[:, None] == end[None]
    value = gather(tree.raw_value, end)
    reward, discount = jnp.unstack(tree.returns, axis=-1)
    end_reward, end_discount = jnp.unstack(gather(tree.returns, end), axis=-1)
    at_root = end_reward + end_discount * value
    # A discount of 0 leads to a terminal node, which is on a path as its end alone.
    above = (at_root[None] - reward) / jnp.where(discount == 0, 1, discount)
    value = jnp.where(is_end, value[None], above)
    edge = unpack(tree.edge)
    mean = (edge.value * edge.visits + value) / (edge.visits + 1)
    updated = pack(edge._replace(visits=edge.visits + 1, value=mean))
    is_visited = (is_passed | is_end)[..., None]
    return tree._replace(edge=jnp.where(is_visited, updated, tree.edge))
