"""The result of every search."""

from typing import NamedTuple

import chex
import jax
import jax.numpy as jnp
import mctx

from azjax.search.proof import Bounds


class SearchResult(NamedTuple):
    """The outcome of B searches."""

    action: chex.Array  # [B] int32, the action to play
    action_weights: chex.Array  # [B, A] float32, the policy target; 0 on illegal actions
    value: chex.Array  # [B] float32, `value_of_weights`, from the view of the player to move
    tree: mctx.Tree  # [B, N, ...]
    prior_logits: chex.Array | None = None  # [B, A] at the root, without noise; None if not known
    bounds: Bounds | None = None  # [B] on the result, if the search proves results


def with_root_alone(result: SearchResult) -> SearchResult:
    """Returns the result with trees [B, 1, ...] of their roots alone, whatever the simulations."""
    tree = result.tree
    if tree is None:  # of a registered search
        return result
    roots = jax.tree.map(lambda x: x[:, :1], tree.replace(extra_data=None))
    return result._replace(tree=roots.replace(root_invalid_actions=tree.root_invalid_actions))


def best_action(*scores: chex.Array) -> chex.Array:
    """Returns [...] int32: the action of the highest first score.

    Among equals the second score decides, then the third, and so on: an action's index, which is
    the left of the board, must not. Only where all scores are equal is the lowest index taken.

    Args:
      *scores: [..., A] each; an action of score -inf in the first is never returned.
    """
    *earlier, last = scores
    is_best = jnp.ones(last.shape, bool)
    for score in earlier:
        score = jnp.where(is_best, score, -jnp.inf)
        is_best &= score == score.max(axis=-1, keepdims=True)
    return jnp.where(is_best, last, -jnp.inf).argmax(axis=-1).astype(jnp.int32)


def value_of_weights(
    action_weights: chex.Array, visit_counts: chex.Array, qvalues: chex.Array
) -> chex.Array:
    """Returns [B]: the Q-values weighted by action weight, from the view of the player to move.

    Under PUCT and UCT, whose weights are visit fractions, it is the mean over simulations. Under
    Gumbel it is not: Gumbel visits every action that it considers, so the mean over simulations of
    a root with one winning move would be low. The root's own evaluation and actions without a visit
    do not count.

    Args:
      action_weights: [B, A].
      visit_counts: [B, A]; at least one is not zero.
      qvalues: [B, A], from the view of the player to move.
    """
    # The weights of all visited actions may underflow; their sum is the divisor.
    positive_weight = jnp.maximum(action_weights, 1e-30)
    return jnp.average(qvalues, axis=-1, weights=jnp.where(visit_counts > 0, positive_weight, 0.0))
