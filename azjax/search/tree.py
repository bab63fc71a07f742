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

ROOT = mctx.Tree.ROOT_INDEX
UNVISITED = mctx.Tree.UNVISITED
NO_PARENT = mctx.Tree.NO_PARENT


class Edge(NamedTuple):
    """What is known of an edge, at the node below it.

    A forest keeps it as one array `[..., 4]`, float32 all of it: what is gathered at once is one
    kernel to compile. No edge leads to the root, whose visits and value alone mean anything.
    """

    visits: chex.Array  # a whole number; 0 where the simulation added no node
    value: chex.Array  # the mean of what was found at the node and below, its mover's view
    reward: chex.Array  # of the action, from the view of who took it
    discount: chex.Array  # of the same action


class Forest(NamedTuple):
    """B trees of up to N nodes: node 0 is the root, node i the leaf of simulation i.

    Values are from the view of the player to move at the node.
    """

    state: Any  # [N, B, ...] game states
    prior_logits: chex.Array  # [N, B, A]
    raw_value: chex.Array  # [N, B] as it was evaluated; 0 where the game is over
    edge: chex.Array  # [N, B, 4], the packed `Edge` from the parent
    child: chex.Array  # [N, B, A] int32 the child's number, or UNVISITED
    parent: chex.Array  # [N, B] int32; NO_PARENT at the root
    action: chex.Array  # [N, B] int32 from the parent to the node


def pack(edge: Edge) -> chex.Array:
    """Returns `[..., 4]` of an edge's arrays `[...]`."""
    return jnp.stack(edge, axis=-1)


def unpack(edge: chex.Array) -> Edge:
    """Returns the arrays `[...]` of a packed edge `[..., 4]`."""
    return Edge(*jnp.unstack(edge, axis=-1))


def plant(states: Any, num_actions: int, num_nodes: int) -> Forest:
    """Returns B trees with room for so many nodes each, none of them visited, nor the root.

    Args:
      states: [B] the roots' game states, which every node holds until it is there.
      num_actions: A.
      num_nodes: N.
    """
    shape = num_nodes, states.terminated.shape[0]
    nobody = jnp.full(shape, NO_PARENT)
    return Forest(
        state=jax.tree.map(lambda x: jnp.broadcast_to(x, (num_nodes, *x.shape)), states),
        prior_logits=jnp.zeros((*shape, num_actions)),
        raw_value=jnp.zeros(shape),
        edge=jnp.zeros((*shape, len(Edge._fields))),
        child=jnp.full((*shape, num_actions), UNVISITED),
        parent=nobody,
        action=nobody,
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
    here = unpack(shown.edge)
    children = forest.edge[shown.child, games[..., None]]
    children = unpack(jnp.where((shown.child != UNVISITED)[..., None], children, 0))
    return mctx.Tree(
        node_visits=here.visits.astype(jnp.int32),
        raw_values=shown.raw_value,
        node_values=here.value,
        parents=shown.parent,
        action_from_parent=shown.action,
        children_index=shown.child,
        children_prior_logits=shown.prior_logits,
        children_visits=children.visits.astype(jnp.int32),
        children_rewards=children.reward,
        children_discounts=children.discount,
        children_values=children.value,
        embeddings=shown.state,
        root_invalid_actions=invalid,
        extra_data=extra_data,
    )
