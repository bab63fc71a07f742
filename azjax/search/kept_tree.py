"""Trees kept from search to search: the subtree of the position that is searched now.

It is found by the position and not by the moves since: after one move of self-play, after two
against an opponent, and nowhere once another game has begun.
"""

import functools
from typing import Any

import chex
import jax
import jax.numpy as jnp

from azjax.search.tree import NO_PARENT, ROOT, UNVISITED, BatchedTree, gather, unpack, where_leading


def keep_subtrees(tree: BatchedTree, earlier: BatchedTree, num_kept: int) -> BatchedTree:
    """Returns empty trees with the nodes that earlier searches found below the same positions.

    The nodes stay in their order, so that children have higher indices than their parents. Of a
    subtree that has more nodes the first are kept; their statistics include the others.

    Args:
      tree: B trees of N nodes as from `init_tree`, which have the new roots' embeddings.
      earlier: B trees of M nodes, of the same search with any number of simulations.
      num_kept: The most nodes that are kept, fewer than N.
    """
    root = _find(earlier, jax.tree.map(lambda x: x[ROOT], tree.embedding))
    is_below = _is_below(earlier, root)
    rank = jnp.cumsum(is_below, axis=0)  # [M, B], of a kept node its new index plus 1
    index = jnp.arange(num_kept)[:, None]
    find = functools.partial(jnp.searchsorted, side="right")  # trees may be large
    source = jax.vmap(find, (1, None), 1)(rank, index[:, 0])  # [K, B], M where no node is left
    is_used, source = source < len(rank), jnp.minimum(source, len(rank) - 1)
    is_kept = is_below & (rank <= num_kept)
    new_index = jnp.where(is_kept, rank - 1, UNVISITED)
    moved = jax.tree.map(lambda x: gather(x, source), earlier)
    batch = jnp.arange(rank.shape[1])[None, :, None]
    children = new_index[moved.children, batch]
    is_root = index == ROOT
    moved = moved._replace(
        children=jnp.where(moved.children == UNVISITED, UNVISITED, children),
        parent=jnp.where(is_root, NO_PARENT, gather(new_index, moved.parent)),
        action_from_parent=jnp.where(is_root, NO_PARENT, moved.action_from_parent),
        returns=None if moved.returns is None else _returns_from(moved.returns),
    )

    def insert(empty: chex.Array, kept: chex.Array) -> chex.Array:
        first = where_leading(is_used, kept, empty[:num_kept])
        return jnp.concatenate([first, empty[num_kept:]])

    return jax.tree.map(insert, tree, moved)


def _find(tree: BatchedTree, embedding: Any) -> chex.Array:
    """Returns [B]: the most visited node that has the embedding [B, ...]; M if there is none."""

    def equals(nodes: chex.Array, root: chex.Array) -> chex.Array:
        return (nodes == root[None]).reshape(*tree.parent.shape, -1).all(axis=-1)

    is_equal = jax.tree.reduce(jnp.logical_and, jax.tree.map(equals, tree.embedding, embedding))
    visits = jnp.where(is_equal, unpack(tree.edge).visits, 0)
    return jnp.where(visits.max(axis=0) > 0, visits.argmax(axis=0), len(visits))


def _is_below(tree: BatchedTree, root: chex.Array) -> chex.Array:
    """Returns [M, B] bool: which visited nodes are a node [B] or below it, by doubling pointers."""
    index = jnp.arange(len(tree.parent), dtype=jnp.int32)[:, None]
    is_start = (index == root[None]) | (tree.parent == NO_PARENT)
    pointer = jnp.where(is_start, index, tree.parent)
    for _ in range((len(index) - 1).bit_length()):  # a path has fewer than M edges
        pointer = gather(pointer, pointer)
    return (pointer == root[None]) & (unpack(tree.edge).visits > 0)


def _returns_from(returns: chex.Array) -> chex.Array:
    """Returns [K, B, 2]: the returns from the first node, given those from its own root."""
    reward, discount = jnp.unstack(returns, axis=-1)
    first_reward, first = reward[:1], discount[:1]
    first = jnp.where(first == 0, 1, first)  # of an empty tree it is 0
    return jnp.stack([(reward - first_reward) / first, discount / first], axis=-1)
