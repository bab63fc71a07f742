"""Auxiliary heads: outputs that training alone reads, for what they teach the trunk."""

from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx

from azjax.networks.architectures.initializers import KernelInitializer
from azjax.networks.architectures.layers import OutputDense
from azjax.networks.outputs import Ownership


class AuxiliaryHeads(nnx.Module):
    """Computes the outputs of some heads, each by one layer or two.

    The reply is the opponent's answer, and ownership that of the cells at the game's end (Wu 2019,
    "Accelerating Self-Play Learning in Go", sections 4.1 and 3.4); action values are the Q-values
    of a search.
    """

    def __init__(
        self,
        names: tuple[str, ...],
        num_actions: int,
        *,
        action_features: int,
        value_features: int,
        cell_features: int,
        cell_outputs: int,
        kernel_init: KernelInitializer,
    ) -> None:
        if "reply" in names:
            self.reply_logits = OutputDense(action_features, num_actions, kernel_init=kernel_init)
        if "action_values" in names:
            self.action_values = OutputDense(action_features, num_actions, kernel_init=kernel_init)
        if "ownership" in names:
            self.ownership = OutputDense(cell_features, cell_outputs, kernel_init=kernel_init)
            self.margin = OutputDense(value_features, 1, kernel_init=kernel_init)
        self.names = names

    def __call__(
        self, action_features: jax.Array, value_features: jax.Array, cell_features: jax.Array
    ) -> dict[str, Any]:
        """Returns the outputs by the name of the head.

        Args:
          action_features: `[B, F]`, which the policy reads.
          value_features: `[B, F]`, which the value reads.
          cell_features: `[B, H, W, F]`, or `[B, F]` of the whole board.

        Returns:
          `reply`: logits `[B, A]`; `action_values`: `[B, A]` in (-1, 1), from the mover's view;
          `ownership`: `Ownership`.
        """
        outputs: dict[str, Any] = {}
        if "reply" in self.names:
            outputs["reply"] = self.reply_logits(action_features)
        if "action_values" in self.names:
            outputs["action_values"] = jnp.tanh(self.action_values(action_features))
        if "ownership" in self.names:
            cells = self.ownership(cell_features).reshape(len(cell_features), -1)
            margin = self.margin(value_features)[:, 0]
            outputs["ownership"] = Ownership(jnp.tanh(cells), jnp.tanh(margin))
        return outputs
