"""The trees of B searches, kept by node: what is known of an edge is kept at the node below it.

Beside its prior an edge takes a single number, that of its child: a forest takes a third of what
`mctx.Tree` takes, and a simulation changes next to nothing of it. mctx's own functions, which work
on one node, are shown that node as a tree of its own.
"""

from typing import Any, NamedTuple

import chex
import jax
import jax.numpy as jnp
import mctx

from azjax.search.evaluation import Evaluation

ROOT = mctx.Tree.ROOT_INDEX
UNVISITED = mctx.Tree.UNVISITED
NO_PARENT = mctx.Tree.NO_PARENT


class Forest(NamedTuple):
    """B trees of up to N nodes: node 0 is the root, node i the leaf of simulation i.

    Values are from the view of the player to move at the node.
    """

    state: Any  # [N, B, ...] game states
    prior_logits: chex.Array  # [N, B, A]
    raw_value: chex.Array  # [N, B] as it was evaluated; 0 where the game is over
    value: chex.Array  # [N, B] the mean of what was found at the node and below
    visits: chex.Array  # [N, B] int32; 0 where the simulation added no node
    child: chex.Array  # [N, B, A] int32 the child's number, or UNVISITED
    parent: chex.Array  # [N, B] int32; NO_PARENT at the root
    action: chex.Array  # [N, B] int32 from the parent to the node
    reward: chex.Array  # [N, B] of that action, from the view of who took it
    discount: chex.Array  # [N, B] of the same action


def plant(states: Any, root: Evaluation, num_simulations: int) -> Forest:
    """Returns B roots with room for the leaves of so many simulations."""

    def with_room(first: chex.Array) -> chex.Array:
        return jnp.zeros((num_simulations + 1, *first.shape), first.dtype).at[ROOT].set(first)

    nothing = with_room(jnp.zeros_like(root.value))
    nobody = jnp.full(nothing.shape, NO_PARENT)
    return Forest(
        state=jax.tree.map(with_room, states),
        prior_logits=with_room(root.prior_logits),
        raw_value=with_room(root.value),
        value=with_room(root.value),
        visits=with_room(jnp.ones(root.value.shape, jnp.int32)),
        child=jnp.full((num_simulations + 1, *root.prior_logits.shape), UNVISITED),
        parent=nobody,
        action=nobody,
        reward=nothing,
        discount=nothing,
    )


def at(array: chex.Array, node: chex.Array) -> chex.Array:
    """Returns [B, ...]: what [N, B, ...] holds for one node [B] of each tree."""
    return array[node, jnp.arange(node.shape[0])]


def show(forest: Forest, nodes: chex.Array, invalid: chex.Array, extra_data: Any) -> mctx.Tree:
    """Returns [B, K, ...]: some nodes of each tree, with all that mctx knows of their edges.

    Args:
      forest: B trees.
      nodes: [B, K] int32; where they are not all nodes, the numbers in the result are others.
      invalid: [B, A] bool, the actions that are illegal at the root.
      extra_data: [B, ...] what selections find in `tree.extra_data`.
    """
    games = jnp.arange(nodes.shape[0])[:, None]
    shown = jax.tree.map(lambda x: x[nodes, games], forest)
    is_visited = shown.child != UNVISITED

    def of_children(array: chex.Array) -> chex.Array:
        return jnp.where(is_visited, array[shown.child, games[..., None]], 0)

    return mctx.Tree(
        node_visits=shown.visits,
        raw_values=shown.raw_value,
        node_values=shown.value,
        parents=shown.parent,
        action_from_parent=shown.action,
        children_index=shown.child,
        children_prior_logits=shown.prior_logits,
        children_visits=of_children(forest.visits),
        children_rewards=of_children(forest.reward),
        children_discounts=of_children(forest.discount),
        children_values=of_children(forest.value),
        embeddings=shown.state,
        root_invalid_actions=invalid,
        extra_data=extra_data,
    )
