"""Tree search over a game: one step of the rules and one evaluation a simulation."""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import chex
import jax
import jax.numpy as jnp
import mctx

from azjax.games import Game
from azjax.search.evaluation import Evaluate, Evaluation
from azjax.search.tree import (
    NO_PARENT,
    ROOT,
    UNVISITED,
    Edge,
    Forest,
    at,
    pack,
    plant,
    show,
    unpack,
)


class Grown(NamedTuple):
    """B trees that have been searched."""

    root: mctx.Tree  # [B, 1, ...] the roots by themselves, as their own node 0
    tree: mctx.Tree  # [B, N, ...] the whole trees, for who looks at them


# (a tree of one node, the node's number among those of its whole tree) -> action
Select = Callable[[mctx.Tree, chex.Array], chex.Array]


def grow_tree(
    game: Game,
    evaluate: Evaluate,
    parameters: Any,
    keys: chex.PRNGKey,
    states: Any,
    *,
    prepare_root: Callable[[chex.Array], chex.Array] = lambda prior_logits: prior_logits,
    select_at_root: Select,
    select_inside: Select,
    num_simulations: int,
    extra_data: Any = None,
) -> Grown:
    """Searches B positions: each simulation walks down a tree, adds a leaf and tells its value.

    Simulation 0 finds an empty tree, and the leaf that it adds is the root.

    Values are from the view of the player to move at their node. A finished position has value 0
    and discount 0, so that only the reward of the move into it counts, and it has no children: a
    simulation that reaches one again counts as one more visit of it.

    Args:
      game: The rules.
      evaluate: The leaf evaluation.
      parameters: What `evaluate` takes as its first argument.
      keys: [B], one a game; positions are evaluated with keys drawn from them.
      states: [B] game states; none finished.
      prepare_root: Takes the roots' prior logits [B, A] to those that the search starts from;
        computed in every simulation, so what it draws should be drawn before.
      select_at_root: Selects among the actions of one root.
      select_inside: Selects among the actions of any other unfinished node.
      num_simulations: N - 1, how many leaves to add below the root.
      extra_data: [B, ...] what the selections find in `tree.extra_data`.
    """
    show_nodes = functools.partial(
        show, invalid=~jax.vmap(game.legal_action_mask)(states), extra_data=extra_data
    )

    def select(select_one: Select, forest: Forest, node: chex.Array) -> chex.Array:
        return jax.vmap(select_one)(show_nodes(forest, node[:, None]), node)

    def simulate(leaf: chex.Array, forest: Forest) -> Forest:
        parent, action, child = _walk_down(
            forest,
            functools.partial(select, select_at_root),
            functools.partial(select, select_inside),
        )
        before = jax.tree.map(lambda x: at(x, jnp.maximum(parent, ROOT)), forest.state)
        after = jax.tree.map(
            lambda root, below: jnp.where(leaf == ROOT, root, below),
            before,
            jax.vmap(game.step)(before, action),
        )
        evaluation = evaluate(parameters, _fold_in(keys, leaf), after)
        prior_logits = jnp.where(
            leaf == ROOT, prepare_root(evaluation.prior_logits), evaluation.prior_logits
        )
        evaluation = evaluation._replace(prior_logits=prior_logits)
        forest = _add_leaf(forest, leaf, parent, action, child, before, after, evaluation)
        return _tell_ancestors(forest, jnp.where(child == UNVISITED, leaf, child))

    # The root by the same loop as all others: the network is compiled once.
    forest = plant(states, game.num_actions, num_simulations + 1)
    forest = jax.lax.fori_loop(ROOT, num_simulations + 1, simulate, forest)
    everything = jnp.broadcast_to(jnp.arange(num_simulations + 1), forest.action.T.shape)
    return Grown(
        root=show_nodes(forest, everything[:, :1]),
        tree=show_nodes(forest, everything),
    )


def _walk_down(
    forest: Forest,
    select_at_root: Callable[[Forest, chex.Array], chex.Array],
    select_inside: Callable[[Forest, chex.Array], chex.Array],
) -> tuple[chex.Array, chex.Array, chex.Array]:
    """Walks from each root to where its tree ends.

    Returns:
      [B] each: the last node but one, the action taken there, and the last node: UNVISITED, or a
      finished position. Where there is no root yet, it is the last, and there is none before it.
    """

    def go_on(select: Callable[[Forest, chex.Array], chex.Array], walk):
        *_, node, is_end = walk
        action = select(forest, node)
        child = at(forest.child, node)[jnp.arange(node.shape[0]), action]
        is_over = at(forest.state.terminated, child) | (child == UNVISITED)
        further = node, action, child, is_over
        return jax.tree.map(lambda old, new: jnp.where(is_end, old, new), walk, further)

    nobody = forest.parent[ROOT]
    walk = nobody, nobody, jnp.full_like(nobody, ROOT), unpack(forest.edge[ROOT]).visits == 0
    walk = go_on(select_at_root, walk)
    *last, _ = jax.lax.while_loop(
        lambda walk: ~walk[-1].all(), functools.partial(go_on, select_inside), walk
    )
    return tuple(last)


def _add_leaf(
    forest: Forest,
    leaf: chex.Array,
    parent: chex.Array,
    action: chex.Array,
    child: chex.Array,
    before: Any,
    after: Any,
    evaluation: Evaluation,
) -> Forest:
    """Returns the forest with what each simulation found as node `leaf`, not yet visited.

    Where the simulation ended at a finished position, nothing leads to that node, nor to a root.
    """
    games = jnp.arange(parent.shape[0])
    value = jnp.where(after.terminated, 0.0, evaluation.value)
    found = Forest(
        state=after,
        prior_logits=evaluation.prior_logits,
        raw_value=value,
        edge=pack(
            Edge(
                visits=jnp.zeros_like(value),
                value=value,
                reward=reward_of_mover(before, after),
                discount=discount_of_mover(before, after),
            )
        ),
        child=jnp.full(evaluation.prior_logits.shape, UNVISITED),
        parent=parent,
        action=action,
    )
    forest = jax.tree.map(
        lambda all_, new: jax.lax.dynamic_update_index_in_dim(all_, new, leaf, 0), forest, found
    )
    number = jnp.where(child == UNVISITED, leaf, child)
    somewhere = _or_nowhere(forest, parent)
    return forest._replace(child=forest.child.at[somewhere, games, action].set(number, mode="drop"))


def _tell_ancestors(forest: Forest, node: chex.Array) -> Forest:
    """Returns the forest after one more visit of a node [B] of each tree and of all above it."""
    games = jnp.arange(node.shape[0])

    def visit(carry):
        node, found, edges = carry
        here = jnp.maximum(node, ROOT)
        edge = unpack(at(edges, here))
        mean = (edge.value * edge.visits + found) / (edge.visits + 1)
        told = pack(edge._replace(visits=edge.visits + 1, value=mean))
        edges = edges.at[_or_nowhere(forest, node), games].set(told, mode="drop")
        parent = jnp.where(node == NO_PARENT, NO_PARENT, at(forest.parent, here))
        return parent, edge.reward + edge.discount * found, edges

    carry = node, at(forest.raw_value, node), forest.edge
    *_, edges = jax.lax.while_loop(lambda carry: (carry[0] != NO_PARENT).any(), visit, carry)
    return forest._replace(edge=edges)


def _or_nowhere(forest: Forest, node: chex.Array) -> chex.Array:
    """Returns the nodes [B], beyond all nodes where there is none: what is put there is dropped."""
    return jnp.where(node == NO_PARENT, len(forest.parent), node)


def _fold_in(keys: chex.PRNGKey, data: chex.Numeric) -> chex.PRNGKey:
    return jax.vmap(jax.random.fold_in, in_axes=(0, None))(keys, data)


def reward_of_mover(states: Any, after: Any) -> chex.Array:
    """Returns [B] float32: what the play from `states` to `after` gave who was to move there."""
    mover = states.current_player.astype(jnp.int32)
    return jnp.take_along_axis(after.rewards, mover[:, None], axis=1)[:, 0].astype(jnp.float32)


def discount_of_mover(states: Any, after: Any) -> chex.Array:
    """Returns [B] float32: the factor that turns a value at `after` into one at `states`.

    It is 0 where the game is over, -1 where the turn passes, +1 where the mover moves again.
    """
    same_player = states.current_player == after.current_player
    return jnp.where(after.terminated, 0.0, jnp.where(same_player, 1.0, -1.0))
