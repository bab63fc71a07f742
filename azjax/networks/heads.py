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
        "cells" [B, H * W], from the features of cells; "scalar" [B], from those of the value.
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


class AuxiliaryHeads(nnx.Module):
    """Computes the outputs of some heads."""

    def __init__(
        self,
        heads: tuple[Head, ...],
        sizes: dict[HeadOutputs, tuple[int, int]],
        *,
        kernel_init: KernelInitializer,
    ) -> None:
        """Makes a layer of each head; `sizes` are their inputs and outputs."""
        self.given = heads
        for head in heads:
            check_choice(f"outputs of head {head.name!r}", head.outputs, get_args(HeadOutputs))
            if hasattr(self, head.name):
                raise ValueError(f"head {head.name!r}: the name is taken; choose another")
            setattr(self, head.name, OutputDense(*sizes[head.outputs], kernel_init=kernel_init))

    def __call__(self, features: dict[HeadOutputs, jax.Array]) -> dict[str, jax.Array]:
        """Returns the outputs by the name of the head."""
        outputs = {}
        for head in self.given:
            inputs = features[head.outputs]
            values = getattr(self, head.name)(inputs).reshape(len(inputs), -1)
            values = values[:, 0] if head.outputs == "scalar" else values
            outputs[head.name] = jnp.tanh(values) if head.is_bounded else values
        return outputs


class BoardHeads(nnx.Module):
    """Computes policy and value from the torso's features of cells, `[B, H, W, channels]`.

    The 1x1 convolutions of both heads are one product. They have few planes, and with a plain ReLU
    a plane could be zero on all boards from the start; so a leaky ReLU follows them.
    """

    def __init__(
        self,
        config: NetworkConfig,
        num_cells: int,
        num_actions: int,
        heads: tuple[Head, ...],
        *,
        kernel_init: KernelInitializer,
    ) -> None:
        channels, hidden = config.channels, config.value_features or config.channels
        self.policy_planes = config.policy_planes
        self.has_value = config.value_head != "none"
        num_planes = config.policy_planes + config.value_planes * self.has_value
        self.planes = Dense(channels, num_planes, kernel_init=kernel_init)
        policy_features = config.policy_planes * num_cells
        self.policy_logits = OutputDense(policy_features, num_actions, kernel_init=kernel_init)
        if not self.has_value:
            return
        self.value_hidden = Dense(config.value_planes * num_cells, hidden, kernel_init=kernel_init)
        self.value = OutputDense(hidden, _VALUE_OUTPUTS[config.value_head], kernel_init=kernel_init)
        self.pooling = (
            GlobalPooling(channels, hidden, kernel_init=kernel_init) if config.pools_value else None
        )
        self.auxiliary = AuxiliaryHeads(
            heads,
            {
                "actions": (policy_features, num_actions),
                "cells": (channels, 1),
                "scalar": (hidden, 1),
            },
            kernel_init=kernel_init,
        )

    def __call__(self, features: jax.Array) -> Outputs:
        """Returns the outputs for features of B positions."""
        planes = nnx.leaky_relu(self.planes(features), negative_slope=0.1)
        batch = planes.shape[0]
        policy_planes = planes[..., : self.policy_planes].reshape(batch, -1)
        if not self.has_value:
            return _policy_alone(self.policy_logits(policy_planes))
        value_planes = planes[..., self.policy_planes :].reshape(batch, -1)
        hidden = self.value_hidden(value_planes)
        if self.pooling is not None:
            hidden += self.pooling(features)
        hidden = nnx.relu(hidden)
        auxiliary = self.auxiliary({"actions": policy_planes, "cells": features, "scalar": hidden})
        return _outputs(self.policy_logits(policy_planes), self.value(hidden), auxiliary)


class VectorHeads(nnx.Module):
    """Computes policy and value from the torso's features of the board, `[B, channels]`."""

    def __init__(
        self,
        config: NetworkConfig,
        num_cells: int,
        num_actions: int,
        heads: tuple[Head, ...],
        *,
        kernel_init: KernelInitializer,
    ) -> None:
        channels = config.channels
        self.policy_logits = OutputDense(channels, num_actions, kernel_init=kernel_init)
        self.has_value = config.value_head != "none"
        if not self.has_value:
            return
        self.value = OutputDense(
            channels, _VALUE_OUTPUTS[config.value_head], kernel_init=kernel_init
        )
        self.auxiliary = AuxiliaryHeads(
            heads,
            {
                "actions": (channels, num_actions),
                "cells": (channels, num_cells),
                "scalar": (channels, 1),
            },
            kernel_init=kernel_init,
        )

    def __call__(self, features: jax.Array) -> Outputs:
        """Returns the outputs for features of B positions."""
        if not self.has_value:
            return _policy_alone(self.policy_logits(features))
        auxiliary = self.auxiliary({"actions": features, "cells": features, "scalar": features})
        return _outputs(self.policy_logits(features), self.value(features), auxiliary)


def expected_value(value_logits: jax.Array) -> jax.Array:
    """Returns `[B]`: the probability of a win less that of a loss, for logits `[B, 3]`."""
    probabilities = jax.nn.softmax(value_logits)
    return probabilities[:, 0] - probabilities[:, 2]


def _policy_alone(policy_logits: jax.Array) -> Outputs:
    """Returns the outputs where there is no value head: values of 0."""
    return Outputs(policy_logits, jnp.zeros(len(policy_logits)), None, {})


def _outputs(
    policy_logits: jax.Array, value: jax.Array, auxiliary: dict[str, jax.Array]
) -> Outputs:
    """Returns the outputs, of a value head's scalar `[B, 1]` or its logits `[B, 3]`."""
    if value.shape[1] == 1:
        return Outputs(policy_logits, jnp.tanh(value[:, 0]), None, auxiliary)
    return Outputs(policy_logits, expected_value(value), value, auxiliary)
