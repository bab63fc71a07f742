"""The losses that an update reports."""

from typing import NamedTuple

import chex
import jax


class Losses(NamedTuple):
    """Means over a batch."""

    loss: chex.Array  # []
    policy_loss: chex.Array  # [] cross-entropy, nats; in REINFORCE times the advantage
    value_loss: chex.Array  # [] squared error of the expected result, whatever the value head
    extra: dict[str, chex.Array]  # [] by the column of the metrics, of the algorithm alone


def losses_structure(extra: tuple[str, ...]) -> jax.tree_util.PyTreeDef:
    """Returns the structure of `Losses` as a pytree, for the keys of `extra`."""
    return jax.tree.structure(Losses(0.0, 0.0, 0.0, dict.fromkeys(extra, 0.0)))
