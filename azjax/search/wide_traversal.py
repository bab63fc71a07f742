"""One simulation in B trees without a loop over their depth, as accelerators are fast at.

In a loop that descends level by level, each level is some launches of small kernels, and the host
waits for the condition of each. Here all nodes select at once, on the path or not, which a GPU does
in the time of one; the path is found by doubling pointers, and the value is backed up everywhere at
once. The results are as in `azjax.search.traversal`.
"""

from collections.abc import Callable

import chex
import jax
import jax.numpy as jnp

from azjax.search.traversal import Path, SelectBatch
from azjax.search.tree import ROOT, UNVISITED, BatchedTree, gather, pack, unpack

# trees -> action [N, B] of every node
SelectEverywhere = Callable[[BatchedTree], chex.Array]


def select_path(
    tree: BatchedTree, select_at_root: SelectBatch, select_everywhere: SelectEverywhere
) -> tuple[Path, chex.Array]:
    """Finds in each tree the path that `traversal.select_path` descends; nothing is proven.

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


def backward(tree: BatchedTree, end: chex.Array, is_passed: chex.Array) -> BatchedTree:
    """Backs up the value of the end [B] of each path, as `traversal.backward` does.

    Args:
      tree: B trees with the new node.
      end: [B], the new node or a terminal one.
      is_passed: From `select_path`.
    """
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
