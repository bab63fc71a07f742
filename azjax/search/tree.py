"""The trees of B searches; edge statistics are stored at child nodes.

Beside its prior an edge then takes one number, its child's index: a batched tree takes a third of
the memory of `mctx.Tree`, and a simulation changes little of it. The rules of a search, mctx's own
functions among them, work on one node, and are given that node as a tree of its own.
"""

from typing import Any, NamedTuple

import chex
import jax
import jax.numpy as jnp
import mctx

ROOT = mctx.Tree.ROOT_INDEX
UNVISITED = mctx.Tree.UNVISITED
NO_PARENT = mctx.Tree.NO_PARENT


class Edge(NamedTuple):
    """The statistics of an edge, stored at its child.

    They are packed into one float32 array `[..., 4]`: one gather is one kernel to compile. No edge
    leads to the root; of the root's entry only visits and value are used.
    """

    visits: chex.Array  # a whole number; 0 where the simulation has added no node
    value: chex.Array  # the mean over the child's subtree, the view of the player to move there
    reward: chex.Array  # of the action, from the view of the player who takes it
    discount: chex.Array  # of the action; 0 where the child is terminal


class BatchedTree(NamedTuple):
    """B trees of up to N nodes: node 0 is the root, node i is expanded by simulation i.

    Values are from the view of the player to move at the node. A wide tree is searched without
    loops over its depth. Its returns are the discounted reward from the root to the node, from the
    view of the player to move at the root, and the discount from the root to the node.
    """

    embedding: Any  # [N, B, ...] the model's; the root's is set from the start
    prior_logits: chex.Array  # [N, B, A]
    raw_value: chex.Array  # [N, B] the evaluation; 0 at terminal nodes
    edge: chex.Array  # [N, B, 4] packed `Edge`, from the parent
    bounds: chex.Array | None  # [N, B, 2] int8 packed `Bounds`; None if nothing is proven
    returns: chex.Array | None  # [N, B, 2] of the path to the node; None if it is not wide
    statistics: Any  # [N, B, ...] the search's own; None if it has none
    children: chex.Array  # [N, B, A] int32 node index, or UNVISITED
    parent: chex.Array  # [N, B] int32, NO_PARENT at the root
    action_from_parent: chex.Array  # [N, B] int32


@chex.dataclass(frozen=True)
class SearchTree(mctx.Tree):
    """Nodes as mctx has them, with the edges to their children, and a search's own statistics."""

    root_kept_visits: Any = None  # [..., A] of the root by earlier searches; None: nothing is kept
    statistics: Any = None  # [..., N, ...] of the nodes; None of a search that has none
    children_statistics: Any = None  # [..., N, A, ...] of their children; 0 without a visit

    @property
    def root_new_visits(self) -> chex.Array:
        """[..., A]: the visits of the root's actions by this search alone."""
        visits = self.children_visits[..., ROOT, :]
        return visits if self.root_kept_visits is None else visits - self.root_kept_visits


def pack(edge: Edge) -> chex.Array:
    """Returns `[..., 4]` of an edge's arrays `[...]`."""
    return jnp.stack(edge, axis=-1)


def unpack(edge: chex.Array) -> Edge:
    """Returns the arrays `[...]` of a packed edge `[..., 4]`."""
    return Edge(*jnp.unstack(edge, axis=-1))


def init_tree(
    embedding: Any,
    num_actions: int,
    num_nodes: int,
    *,
    bounds: chex.Array | None,
    statistics: Any = None,
    is_wide: bool,
) -> BatchedTree:
    """Returns B trees whose roots are not evaluated yet.

    Args:
      embedding: [B, ...] the roots' embeddings; every node holds it until the node is expanded.
      num_actions: A.
      num_nodes: N.
      bounds: [2] int8, which every node has at first; None if nothing is proven.
      statistics: [B, ...] arrays like the search's own statistics, which are 0 at first.
      is_wide: Whether it is searched without loops over its depth.
    """
    shape = num_nodes, jax.tree.leaves(embedding)[0].shape[0]
    no_parent = jnp.full(shape, NO_PARENT, jnp.int32)
    return BatchedTree(
        embedding=jax.tree.map(lambda x: jnp.broadcast_to(x, (num_nodes, *x.shape)), embedding),
        prior_logits=jnp.zeros((*shape, num_actions)),
        raw_value=jnp.zeros(shape),
        edge=jnp.zeros((*shape, len(Edge._fields))),
        bounds=None if bounds is None else jnp.broadcast_to(bounds, (*shape, 2)),
        returns=jnp.zeros((*shape, 2)) if is_wide else None,
        statistics=jax.tree.map(lambda x: jnp.zeros((num_nodes, *x.shape), x.dtype), statistics),
        children=jnp.full((*shape, num_actions), UNVISITED, jnp.int32),
        parent=no_parent,
        action_from_parent=no_parent,
    )


def gather(array: chex.Array, node: chex.Array) -> chex.Array:
    """Returns the entries of an array [N, B, ...] at one node [B] of each tree, or at K, [K, B]."""
    return array[node, jnp.arange(node.shape[-1])]


def where_leading(mask: chex.Array, x: chex.Array, y: chex.Array | float) -> chex.Array:
    """Returns x where the mask is true, else y; the mask has the leading axes of x."""
    return jnp.where(mask.reshape(*mask.shape, *[1] * (x.ndim - mask.ndim)), x, y)


class RootData(NamedTuple):
    """What the rules of a search know of B roots, whatever the node."""

    root_invalid_actions: chex.Array  # [B, A] bool
    extra_data: Any  # [B, ...] the search's own
    root_kept_visits: chex.Array | None  # [B, A] int32, see `SearchTree`


def view_nodes(tree: BatchedTree, nodes: chex.Array, roots: RootData) -> SearchTree:
    """Returns [B, K, ...]: some nodes of each tree with the statistics of their edges.

    Args:
      tree: B trees.
      nodes: [B, K] int32. Unless they are all nodes in order, indices in the result are invalid.
      roots: [B].
    """
    batch = jnp.arange(nodes.shape[0])[:, None]
    chosen = jax.tree.map(lambda x: x[nodes, batch], tree)
    return _with_children(tree, chosen, batch[..., None], roots)


def view_every_node(tree: BatchedTree, roots: RootData) -> SearchTree:
    """Returns [N, B, 1, ...]: every node of each tree as a tree of its own.

    Arguments are as in `view_nodes`; indices in the result are invalid.
    """
    num_nodes, batch_size = tree.parent.shape
    nodes = jax.tree.map(lambda x: x[:, :, None], tree)
    of_trees = jax.tree.map(lambda x: jnp.broadcast_to(x, (num_nodes, *x.shape)), roots)
    return _with_children(tree, nodes, jnp.arange(batch_size)[:, None, None], of_trees)


def _with_children(
    tree: BatchedTree, nodes: BatchedTree, batch: chex.Array, roots: RootData
) -> SearchTree:
    """Returns nodes [..., K] of trees as mctx has them; `batch` [..., 1, 1] is their index."""
    edges, is_visited = unpack(nodes.edge), nodes.children != UNVISITED

    def at_children(array: chex.Array) -> chex.Array:
        return where_leading(is_visited, array[nodes.children, batch], 0)

    below = unpack(at_children(tree.edge))
    return SearchTree(
        node_visits=edges.visits.astype(jnp.int32),
        raw_values=nodes.raw_value,
        node_values=edges.value,
        parents=nodes.parent,
        action_from_parent=nodes.action_from_parent,
        children_index=nodes.children,
        children_prior_logits=nodes.prior_logits,
        children_visits=below.visits.astype(jnp.int32),
        children_rewards=below.reward,
        children_discounts=below.discount,
        children_values=below.value,
        embeddings=nodes.embedding,
        **roots._asdict(),
        statistics=nodes.statistics,
        children_statistics=jax.tree.map(at_children, tree.statistics),
    )
