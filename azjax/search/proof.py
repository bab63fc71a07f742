"""Proven results: bounds on the result of a game, backed up from finished positions.

"Monte-Carlo Tree Search Solver", Winands, Bjornsson and Saito 2008; for draws too, "Score Bounded
Monte-Carlo Tree Search", Cazenave and Saffidine 2010. The result of an action that was not tried
yet lies between a loss and a win; minimax backs the bounds up, and a node is proven where they
meet. They hold where the model is exact, as the rules are.
"""

from typing import NamedTuple

import chex
import jax.numpy as jnp
import mctx

from azjax.search.model import ILLEGAL_LOGIT, is_legal
from azjax.search.tree import ROOT, UNVISITED, BatchedTree, gather, unpack


class Bounds(NamedTuple):
    """Bounds on results, from -1 to 1, from the view of the player to move.

    In a tree they are packed into one int8 array `[..., 2]`.
    """

    lower: chex.Array  # [...]
    upper: chex.Array  # [...]

    @property
    def is_proven(self) -> chex.Array:
        """Tells where the bounds meet, [...] bool."""
        return self.lower == self.upper

    def clip(self, value: chex.Array) -> chex.Array:
        """Returns values [...] within the bounds."""
        return jnp.clip(value, self.lower, self.upper)


LOSS, WIN = -1, 1
ANY_RESULT = Bounds(LOSS, WIN)


def pack_bounds(bounds: Bounds) -> chex.Array:
    """Returns `[..., 2]` int8 of bounds `[...]`."""
    return jnp.stack(bounds, axis=-1).astype(jnp.int8)


def unpack_bounds(packed: chex.Array) -> Bounds:
    """Returns the bounds `[...]`, float32, of a packed array `[..., 2]`."""
    return Bounds(*jnp.unstack(packed.astype(jnp.float32), axis=-1))


def tightest_bounds(first: chex.Array, second: chex.Array) -> chex.Array:
    """Returns packed bounds `[..., 2]` on what two packed bounds hold of."""
    lower = jnp.maximum(first[..., 0], second[..., 0])
    return jnp.stack([lower, jnp.minimum(first[..., 1], second[..., 1])], axis=-1)


def bounds_of_actions(tree: BatchedTree, node: chex.Array) -> Bounds:
    """Returns [B, A]: bounds on the results of the actions at one node [B] of each tree.

    Illegal actions count as lost.
    """
    assert tree.bounds is not None
    children, batch = gather(tree.children, node), jnp.arange(node.shape[0])[:, None]
    edge = unpack(tree.edge[children, batch])
    below = unpack_bounds(tree.bounds[children, batch])
    ends, keeps_turn = edge.discount == 0, edge.discount > 0
    # A reward that is no whole number, of a game with more results than three, keeps its bounds.
    lower = jnp.where(keeps_turn, below.lower, -below.upper)
    lower = jnp.where(ends, jnp.floor(edge.reward), lower)
    upper = jnp.where(keeps_turn, below.upper, -below.lower)
    upper = jnp.where(ends, jnp.ceil(edge.reward), upper)
    is_tried = children != UNVISITED
    legal = is_legal(gather(tree.prior_logits, node))
    return Bounds(
        lower=jnp.where(is_tried & legal, lower, LOSS),
        upper=jnp.where(legal, jnp.where(is_tried, upper, WIN), LOSS),
    )


def bounds_of_node(tree: BatchedTree, node: chex.Array) -> Bounds:
    """Returns [B]: the bounds of one node of each tree, from the bounds of its actions.

    A finished position has no legal action; its bounds allow any result, as its own value counts
    for nothing.
    """
    lower, upper = bounds_of_actions(tree, node)
    has_actions = is_legal(gather(tree.prior_logits, node)).any(axis=-1)
    return Bounds(lower.max(axis=-1), jnp.where(has_actions, upper.max(axis=-1), WIN))


def mask_settled(tree: BatchedTree, node: chex.Array) -> chex.Array:
    """Returns [B, A]: the prior logits of one node of each tree, without its settled actions.

    An action is settled if its result cannot be better than what the node is sure of. Where the
    node is proven all are, and none is masked.
    """
    prior_logits = gather(tree.prior_logits, node)
    lower, upper = bounds_of_actions(tree, node)
    is_open = upper > lower.max(axis=-1, keepdims=True)
    is_proven = ~is_open.any(axis=-1, keepdims=True)
    return jnp.where(is_open | is_proven, prior_logits, ILLEGAL_LOGIT)


def without_dominated(roots: mctx.Tree, actions: Bounds) -> mctx.Tree:
    """Returns one-node trees [B, 1, ...] without prior and visits for dominated actions.

    An action is dominated if another is surely as good, and may be better. So a proven win is all
    that remains beside other proven wins, and a proven loss remains only among losses. If no action
    that remains has a visit, each counts as visited once.
    """
    surest = actions.lower.max(axis=-1, keepdims=True)
    best = jnp.where(actions.lower == surest, actions.upper, LOSS).max(axis=-1, keepdims=True)
    is_dominated = (actions.upper <= surest) & (actions.lower < best)
    prior_logits = roots.children_prior_logits[:, ROOT]
    remains = is_legal(prior_logits) & ~is_dominated
    visits = jnp.where(remains, roots.children_visits[:, ROOT], 0)
    visits = jnp.where(visits.any(axis=-1, keepdims=True), visits, remains)
    return roots.replace(
        children_prior_logits=jnp.where(remains, prior_logits, ILLEGAL_LOGIT)[:, None],
        children_visits=visits[:, None].astype(roots.children_visits.dtype),
    )
