"""The heads of all networks: policy logits, and the value from the mover's view."""

from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx

from azjax.networks.architectures.auxiliary import AuxiliaryHeads
from azjax.networks.architectures.initializers import KernelInitializer
from azjax.networks.architectures.layers import Dense, GlobalPooling, OutputDense
from azjax.networks.config import NetworkConfig
from azjax.networks.outputs import Outputs, expected_value

_VALUE_OUTPUTS = {"scalar": 1, "wdl": 3}


class BoardHeads(nnx.Module):
    """Computes policy and value from the trunk's features, `[B, H, W, channels]`.

    The 1x1 convolutions of both heads are one product. They have few planes, and with a plain ReLU
    a plane could be zero on all boards from the start; so a leaky ReLU follows them.
    """

    def __init__(
        self,
        config: NetworkConfig,
        height: int,
        width: int,
        num_actions: int,
        *,
        kernel_init: KernelInitializer,
    ) -> None:
        cells = height * width
        hidden = config.value_features or config.channels
        self.policy_planes = config.policy_planes
        num_planes = config.policy_planes + config.value_planes * (config.value_head != "none")
        self.planes = Dense(config.channels, num_planes, kernel_init=kernel_init)
        self.policy_logits = OutputDense(
            config.policy_planes * cells, num_actions, kernel_init=kernel_init
        )
        self.has_value = config.value_head != "none"
        if not self.has_value:
            return
        self.value_hidden = Dense(config.value_planes * cells, hidden, kernel_init=kernel_init)
        self.value = OutputDense(hidden, _VALUE_OUTPUTS[config.value_head], kernel_init=kernel_init)
        self.pooling = (
            GlobalPooling(config.channels, hidden, kernel_init=kernel_init)
            if config.global_pooling
            else None
        )
        self.auxiliary = AuxiliaryHeads(
            config.auxiliary_heads,
            num_actions,
            action_features=config.policy_planes * cells,
            value_features=hidden,
            cell_features=config.channels,
            cell_outputs=1,
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
        auxiliary = self.auxiliary(policy_planes, hidden, features)
        return _outputs(self.policy_logits(policy_planes), self.value(hidden), auxiliary)


class VectorHeads(nnx.Module):
    """Computes policy and value from a hidden layer, `[B, features]`."""

    def __init__(
        self,
        config: NetworkConfig,
        height: int,
        width: int,
        num_actions: int,
        *,
        kernel_init: KernelInitializer,
    ) -> None:
        features = config.channels
        self.policy_logits = OutputDense(features, num_actions, kernel_init=kernel_init)
        self.has_value = config.value_head != "none"
        if not self.has_value:
            return
        self.value = OutputDense(
            features, _VALUE_OUTPUTS[config.value_head], kernel_init=kernel_init
        )
        self.auxiliary = AuxiliaryHeads(
            config.auxiliary_heads,
            num_actions,
            action_features=features,
            value_features=features,
            cell_features=features,
            cell_outputs=height * width,
            kernel_init=kernel_init,
        )

    def __call__(self, features: jax.Array) -> Outputs:
        """Returns the outputs for features of B positions."""
        if not self.has_value:
            return _policy_alone(self.policy_logits(features))
        auxiliary = self.auxiliary(features, features, features)
        return _outputs(self.policy_logits(features), self.value(features), auxiliary)


def _policy_alone(policy_logits: jax.Array) -> Outputs:
    """Returns the outputs where there is no value head: values of 0."""
    return Outputs(policy_logits, jnp.zeros(len(policy_logits)), None, {})


def _outputs(policy_logits: jax.Array, value: jax.Array, auxiliary: dict[str, Any]) -> Outputs:
    """Returns the outputs, of a value head's scalar `[B, 1]` or its logits `[B, 3]`."""
    if value.shape[1] == 1:
        return Outputs(policy_logits, jnp.tanh(value[:, 0]), None, auxiliary)
    return Outputs(policy_logits, expected_value(value), value, auxiliary)
