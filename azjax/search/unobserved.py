"""Several simulations of a tree that select before the first of them has its value.

"Watch the unobserved: a simple approach to parallelizing Monte Carlo tree search", Liu et al., ICLR
2020: such a simulation counts as a visit, and changes no value.
"""

from collections.abc import Callable
from typing import Any

import chex
import jax
import jax.numpy as jnp

from azjax.search.model import Evaluation, Transition
from azjax.search.traversal import Path, backward, expand
from azjax.search.tree import NO_PARENT, ROOT, UNVISITED, BatchedTree, gather, unpack


def select_paths(
    tree: BatchedTree,
    select_path: Callable[[BatchedTree], Path],
    first: chex.Array,
    count: chex.Array,
    num_leaves: int,
) -> Path:
    """Returns [L, B]: the paths of simulations `first` to `first + count`, and then empty ones.

    `select_path` gets the tree with the visits so far, and must end at nodes from `first` on.
    """

    def select(i: chex.Array, carry: tuple[BatchedTree, Path]) -> tuple[BatchedTree, Path]:
        unobserved, paths = carry
        path = select_path(unobserved)
        paths = jax.tree.map(lambda x, new: x.at[i].set(new), paths, path)
        return _visit(unobserved, path, first + i), paths

    nothing = jnp.full((num_leaves, tree.parent.shape[1]), NO_PARENT)
    empty = Path(nothing, nothing, nothing, is_end=jnp.ones_like(nothing, bool))
    return jax.lax.fori_loop(0, count, select, (tree, empty))[1]


def _visit(tree: BatchedTree, path: Path, leaf: chex.Array) -> BatchedTree:
    """Returns the trees with a visit of the end of each path [B], which changes no value.

    A new node has the index `leaf`; the action into it has the value and the view of its parent.
    """
    parent = jnp.maximum(path.parent, ROOT)
    value = unpack(gather(tree.edge, parent)).value
    embedding = jax.tree.map(lambda x: gather(x, parent), tree.embedding)
    outcome = Transition(jnp.zeros_like(value), jnp.ones_like(value), embedding)
    evaluation = Evaluation(jnp.zeros_like(tree.prior_logits[ROOT]), value)
    statistics = jax.tree.map(lambda x: jnp.zeros_like(x[ROOT]), tree.statistics)
    tree = expand(tree, path, leaf, outcome, evaluation, statistics)

    def keep(tree: BatchedTree, node: chex.Array, _: chex.Array) -> tuple[chex.Array, Any]:
        statistics = jax.tree.map(lambda x: gather(x, node), tree.statistics)
        return unpack(gather(tree.edge, node)).value, statistics

    return backward(tree, jnp.where(path.node == UNVISITED, leaf, path.node), keep)
