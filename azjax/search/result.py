"""The result of every search."""

from typing import Any, NamedTuple

import chex
import jax
import jax.numpy as jnp

from azjax.search.proof import Bounds
from azjax.support import prng


class SearchResult(NamedTuple):
    """The outcome of B searches."""

    action: chex.Array  # [B] int32, the action to play
    action_weights: chex.Array  # [B, A] float32, the policy target; 0 on illegal actions
    value: chex.Array  # [B] float32, from the view of the player to move; see `value_of_weights`
    tree: Any  # mctx.Tree [B, N, ...], or None of a search without a tree
    prior_logits: chex.Array | None = None  # [B, A] at the root, without noise; None if not known
    bounds: Bounds | None = None  # [B] on the result, if the search proves results


def with_root_alone(result: SearchResult) -> SearchResult:
    """Returns the result with trees [B, 1, ...] of their roots alone, whatever the simulations."""
    tree = result.tree
    if tree is None:  # of a registered search
        return result
    roots = jax.tree.map(lambda x: x[:, :1], tree.replace(extra_data=None))
    return result._replace(tree=roots.replace(root_invalid_actions=tree.root_invalid_actions))


def likeliest_action(prior_logits: chex.Array, keys: chex.PRNGKey) -> chex.Array:
    """Returns [B] int32: the actions of the highest prior logits; ties are broken at random.

    Args:
      prior_logits: [B, A].
      keys: [B].
    """
    return best_action(prior_logits, prng.gumbel(keys, prior_logits.shape[-1]))


def best_action(*scores: chex.Array) -> chex.Array:
    """Returns [...] int32: the action of the highest first score.

    Among equals the second score decides, then the third, and so on: an action's index, which is
    the left of the board, must not. Only where all scores are equal is the lowest index taken.

    It is one reduction, in which each score is compared as it was computed once. A comparison of
    scores with their maximum would find no best action where XLA computes them twice, and rounds
    them differently.

    Args:
      *scores: [..., A] each; an action of score -inf in the first is never returned.
    """
    index = jnp.broadcast_to(jnp.arange(scores[0].shape[-1], dtype=jnp.int32), scores[0].shape)
    least = [jnp.array(_least(score.dtype), score.dtype) for score in scores]
    start = (*least, jnp.int32(index.shape[-1]))
    return jax.lax.reduce((*scores, index), start, _better, (index.ndim - 1,))[-1]


def _better(one: tuple[chex.Array, ...], other: tuple[chex.Array, ...]) -> tuple[chex.Array, ...]:
    """Returns the scores and the index of the better of two actions."""
    *scores, index = zip(one, other, strict=True)
    is_one = index[0] < index[1]
    for x, y in reversed(scores):
        is_one = (x > y) | ((x == y) & is_one)
    return tuple(jnp.where(is_one, x, y) for x, y in (*scores, index))


def _least(dtype: jnp.dtype) -> float | int:
    return -jnp.inf if jnp.issubdtype(dtype, jnp.floating) else jnp.iinfo(dtype).min


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
