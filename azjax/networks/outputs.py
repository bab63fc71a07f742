"""The outputs of a network, and values as probabilities of the results."""

from typing import Any, NamedTuple

import jax


class Ownership(NamedTuple):
    """Who owns the cells at the end of the game, from the view of the player to move."""

    cells: jax.Array  # [B, H * W] in (-1, 1), 1 where the mover owns the cell
    margin: jax.Array  # [B] in (-1, 1), the mean over the cells


class Outputs(NamedTuple):
    """The outputs for B positions, from the view of the player to move; all are float32."""

    policy_logits: jax.Array  # [B, A]
    value: jax.Array  # [B] in (-1, 1), the expected result
    value_logits: jax.Array | None  # [B, 3] of win, draw and loss; None of a scalar head
    auxiliary: dict[str, Any]  # by the name of the head, see `AuxiliaryHeads`


def expected_value(value_logits: jax.Array) -> jax.Array:
    """Returns `[B]`: the probability of a win less that of a loss, for logits `[B, 3]`."""
    probabilities = jax.nn.softmax(value_logits)
    return probabilities[:, 0] - probabilities[:, 2]
