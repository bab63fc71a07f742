"""The heads of all networks: policy logits, the value from the mover's view, auxiliary outputs."""

from typing import Literal, NamedTuple, get_args

import jax
import jax.numpy as jnp
from flax import nnx

from azjax.networks.config import NetworkConfig
from azjax.networks.layers import Dense, GlobalPooling, KernelInitializer, OutputDense
from azjax.support.validation import check_choice

HeadOutputs = Literal["actions", "cells", "scalar"]

_VALUE_OUTPUTS = {"scalar": 1, "wdl": 3}


class Head(NamedTuple):
    """An auxiliary head: one layer that training alone reads, for what it teaches the torso.

    Attributes:
      name: The name of the layer and of its outputs.
      outputs: What there is one of: "actions" [B, A], from the features that the policy reads;
        "cells" [B, H * W], from the features of cells; "scalar" [B], from the features that the
        value reads.
      is_bounded: Whether they lie in (-1, 1), by tanh.
    """

    name: str
    outputs: HeadOutputs
    is_bounded: bool


class Outputs(NamedTuple):
    """The outputs for B positions, from the view of the player to move; all are float32."""

    policy_logits: jax.Array  # [B, A]
    value: jax.Array  # [B] in (-1, 1), the expected result
    value_logits: jax.Array | None  # [B, 3] of win, draw and loss; None of a scalar head
    auxiliary: dict[str, jax.Array]  # by the name of the head


class Heads(nnx.Module):
    """Computes policy and value from the torso's features, of cells or of the board.

    From features of cells 1x1 convolutions make the planes of both heads, by one product. They are
    few, and with a plain ReLU a plane could be zero on all boards from the start; so a leaky ReLU
    follows them.
    """

    def __init__(
        self,
        config: NetworkConfig,
        num_cells: int,
        num_actions: int,
        heads: tuple[Head, ...],
        *,
        has_cells: bool,
        kernel_init: KernelInitializer,
    ) -> None:
        channels, policy_inputs, hidden = config.channels, config.channels, config.channels
        self.policy_planes, self.has_cells = config.policy_planes, has_cells
        self.has_value = config.value_head != "none"
        if has_cells:
            num_planes = config.policy_planes + config.value_planes * self.has_value
            self.planes = Dense(channels, num_planes, kernel_init=kernel_init)
            policy_inputs = config.policy_planes * num_cells
        self.policy_logits = OutputDense(policy_inputs, num_actions, kernel_init=kernel_init)
        if not self.has_value:
            return
        if has_cells:
            hidden = config.value_features or channels
            value_inputs = config.value_planes * num_cells
            self.value_hidden = Dense(value_inputs, hidden, kernel_init=kernel_init)
        self.value = OutputDense(hidden, _VALUE_OUTPUTS[config.value_head], kernel_init=kernel_init)
        pools_value = has_cells and config.pools_value
        self.pooling = (
            GlobalPooling(channels, hidden, kernel_init=kernel_init) if pools_value else None
        )
        sizes: dict[HeadOutputs, tuple[int, int]] = {
            "actions": (policy_inputs, num_actions),
            "cells": (channels, 1 if has_cells else num_cells),
            "scalar": (hidden, 1),
        }
        self.given = heads
        self.auxiliary: nnx.Dict = nnx.Dict()
        for head in heads:
            check_choice(f"outputs of head {head.name!r}", head.outputs, get_args(HeadOutputs))
            if head.name in self.auxiliary:
                raise ValueError(f"head {head.name!r}: the name is taken; choose another")
            outputs = OutputDense(*sizes[head.outputs], kernel_init=kernel_init)
            self.auxiliary[head.name] = outputs

    def __call__(self, features: jax.Array) -> Outputs:
        """Returns the outputs for features `[B, H, W, channels]` or `[B, channels]`."""
        for_policy, for_value = features, features
        if self.has_cells:
            planes = nnx.leaky_relu(self.planes(features), negative_slope=0.1)
            for_policy = planes[..., : self.policy_planes].reshape(len(planes), -1)
            for_value = planes[..., self.policy_planes :].reshape(len(planes), -1)
        if not self.has_value:
            policy_logits = self.policy_logits(for_policy)
            return Outputs(policy_logits, jnp.zeros(len(policy_logits)), None, {})
        if self.has_cells:
            for_value = self.value_hidden(for_value)
            if self.pooling is not None:
                for_value += self.pooling(features)
            for_value = nnx.relu(for_value)
        inputs = {"actions": for_policy, "cells": features, "scalar": for_value}
        auxiliary: dict[str, jax.Array] = {}
        for head in self.given:
            outputs = self.auxiliary[head.name](inputs[head.outputs]).reshape(len(features), -1)
            outputs = outputs[:, 0] if head.outputs == "scalar" else outputs
            auxiliary[head.name] = jnp.tanh(outputs) if head.is_bounded else outputs
        policy_logits, value = self.policy_logits(for_policy), self.value(for_value)
        if value.shape[1] == 1:
            return Outputs(policy_logits, jnp.tanh(value[:, 0]), None, auxiliary)
        probabilities = jax.nn.softmax(value)
        return Outputs(policy_logits, probabilities[:, 0] - probabilities[:, 2], value, auxiliary)
