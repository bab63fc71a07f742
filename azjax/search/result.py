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


def value_of_weights(
    action_weights: chex.Array, visit_counts: chex.Array, qvalues: chex.Array
) -> chex.Array:
    """Returns [B]: the mean Q-value by action weight, from the view of the player to move.

    Under PUCT and UCT, whose weights are visit fractions, it is the mean over simulations. Under
    Gumbel it is not: Gumbel tries every action that it considers, so that by the mean over its
    simulations a root with one winning move would be worth little. The root's own evaluation does
    not count, nor do actions without a visit.

    Args:
      action_weights: [B, A].
      visit_counts: [B, A]; of one action at least not zero.
      qvalues: [B, A], from the view of the player to move.
    """
    # Those of all that was visited may underflow, and there would be nothing to divide by.
    some_weight = jnp.maximum(action_weights, 1e-30)
    return jnp.average(qvalues, axis=-1, weights=jnp.where(visit_counts > 0, some_weight, 0.0))
