"""The tree search of mctx over a game: one step of the rules and one evaluation a simulation."""

from collections.abc import Callable
from typing import Any

import chex
import jax
import jax.numpy as jnp
import mctx

from azjax.games import Game
from azjax.search.evaluation import Evaluate, Evaluation


def grow_tree(
    game: Game,
    evaluate: Evaluate,
    parameters: Any,
    keys: chex.PRNGKey,
    states: Any,
    root: Evaluation,
    *,
    select_at_root: Callable,
    select_inside: Callable,
    num_simulations: int,
    extra_data: Any = None,
) -> mctx.Tree:
    """Returns the trees of B searches, node 0 their roots, node i the leaf of simulation i.

    Values are from the view of the player to move at their node. A finished position has value 0
    and discount 0, so that only the reward of the move into it counts, and it has no children.

    Args:
      game: The rules.
      evaluate: The leaf evaluation.
      parameters: What `evaluate` takes as its first argument.
      keys: [B], one a game; leaves are evaluated with keys drawn from them.
      states: [B] game states; none finished.
      root: The evaluation of `states`, its logits with noise where the search wants it.
      select_at_root: `(key, tree, node_index) -> action` on an unbatched tree; the key is constant.
      select_inside: `(key, tree, node_index, depth) -> action`, likewise.
      num_simulations: N - 1, how many leaves to add.
      extra_data: [B, ...] what the selections find in `tree.extra_data`.
    """

    def recurrent_fn(parameters, key, action, states):
        after = jax.vmap(game.step)(states, action)
        prior_logits, value = evaluate(parameters, _fold_in(keys, jax.random.bits(key)), after)
        reward = reward_of_mover(states, after)
        output = mctx.RecurrentFnOutput(
            reward=jnp.where(states.terminated, 0.0, reward),
            discount=discount_of_mover(states, after),
            prior_logits=prior_logits,
            value=jnp.where(after.terminated, 0.0, value),
        )
        return output, after

    return mctx.search(
        parameters,
        jax.random.key(0),  # tells simulations apart; what is drawn by lot comes from `keys`
        root=mctx.RootFnOutput(prior_logits=root.prior_logits, value=root.value, embedding=states),
        recurrent_fn=recurrent_fn,
        root_action_selection_fn=select_at_root,
        interior_action_selection_fn=select_inside,
        num_simulations=num_simulations,
        invalid_actions=~jax.vmap(game.legal_action_mask)(states),
        extra_data=extra_data,
        loop_fn=_loop_that_ends_at_finished_positions,
    )


def evaluate_root(
    evaluate: Evaluate, parameters: Any, keys: chex.PRNGKey, states: Any
) -> Evaluation:
    """Evaluates the roots of B searches, with keys that no leaf and no noise is drawn from."""
    return evaluate(parameters, _fold_in(keys, 0), states)


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


def _loop_that_ends_at_finished_positions(lower, upper, body, carry):
    """Runs the simulations like `fori_loop`, and detaches what they hang under a finished node.

    mctx expands whatever it reaches. A simulation that reaches a finished node counts as one more
    visit of it, with value 0; the copy that mctx adds below is cut off again, so that no path ever
    leads through a finished position.
    """

    def simulate(simulation, carry):
        key, tree = body(simulation, carry)
        games = jnp.arange(tree.parents.shape[0])
        leaf = simulation + 1
        parent, action = tree.parents[:, leaf], tree.action_from_parent[:, leaf]
        child = jnp.where(
            tree.embeddings.terminated[games, parent], mctx.Tree.UNVISITED, leaf
        ).astype(tree.children_index.dtype)
        children_index = tree.children_index.at[games, parent, action].set(child)
        return key, tree.replace(children_index=children_index)

    return jax.lax.fori_loop(lower, upper, simulate, carry)
