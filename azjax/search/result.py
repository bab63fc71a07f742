"""What a search returns, whatever the algorithm."""

from typing import NamedTuple

import chex
import jax.numpy as jnp
import mctx


class SearchResult(NamedTuple):
    """The outcome of B searches."""

    action: chex.Array  # [B] int32, the action to play
    action_weights: chex.Array  # [B, A] float32, what the policy learns; 0 on illegal actions
    value: chex.Array  # [B] float32, `value_of_weights`, from the view of the player to move
    tree: mctx.Tree  # [B, N, ...]


def value_of_weights(root: mctx.Tree, action_weights: chex.Array) -> chex.Array:
    """Returns [B]: what the roots of trees are worth to who plays by the action weights [B, A].

    Not the mean over simulations, which is what roots are worth to who plays as the search tries
    things out: Gumbel tries every action that it considers, so that a root with one winning move
    would be worth little, and a value learnt from it would shrink towards 0 more at every
    iteration. Actions without a visit have no value and do not count.

    Args:
      root: [B, 1, ...], each searched root as a tree of its own.
      action_weights: [B, A].
    """
    summary = root.summary()
    some_weight = jnp.maximum(action_weights, 1e-9)  # or there might be none to divide by
    weights = jnp.where(summary.visit_counts > 0, some_weight, 0.0)
    return (weights * summary.qvalues).sum(axis=-1) / weights.sum(axis=-1)
