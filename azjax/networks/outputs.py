"""The outputs of a network, and values as probabilities of the results."""

from typing import NamedTuple

import jax


class AuxiliaryOutputs(NamedTuple):
    """The outputs of auxiliary heads; None of a head that there is not, and in play."""

    reply_logits: jax.Array | None = None  # [B, A], of the move after the next one
    action_values: jax.Array | None = None  # [B, A] in (-1, 1)
    ownership: jax.Array | None = None  # [B, H * W] in (-1, 1), 1 where the mover owns the cell
    margin: jax.Array | None = None  # [B] in (-1, 1), the mean of the ownership at the end


class Outputs(NamedTuple):
    """The outputs for B positions, from the view of the player to move; all are float32."""

    policy_logits: jax.Array  # [B, A]
    value: jax.Array  # [B] in (-1, 1), the expected result
    value_logits: jax.Array | None = None  # [B, 3] of win, draw and loss; None of a scalar head
    auxiliary: AuxiliaryOutputs = AuxiliaryOutputs()


def expected_value(value_logits: jax.Array) -> jax.Array:
    """Returns `[B]`: the probability of a win less that of a loss, for logits `[B, 3]`."""
    probabilities = jax.nn.softmax(value_logits)
    return probabilities[:, 0] - probabilities[:, 2]
