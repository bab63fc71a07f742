"""The heads of all networks: policy logits, and the value from the mover's view."""

import jax
import jax.numpy as jnp
from flax import nnx

from azjax.networks.config import NetworkConfig
from azjax.networks.initializers import KernelInitializer
from azjax.networks.layers import Dense, OutputDense


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
        num_planes = config.policy_planes + config.value_planes
        self.planes = Dense(config.channels, num_planes, kernel_init=kernel_init)
        self.policy_logits = OutputDense(
            config.policy_planes * cells, num_actions, kernel_init=kernel_init
        )
        self.value_hidden = Dense(config.value_planes * cells, hidden, kernel_init=kernel_init)
        self.value = OutputDense(hidden, 1, kernel_init=kernel_init)

    def __call__(self, features: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Returns policy logits `[B, A]` and values `[B]` in (-1, 1), from the mover's view."""
        planes = nnx.leaky_relu(self.planes(features), negative_slope=0.1)
        batch = planes.shape[0]
        policy_planes = planes[..., : self.policy_planes].reshape(batch, -1)
        value_planes = planes[..., self.policy_planes :].reshape(batch, -1)
        hidden = nnx.relu(self.value_hidden(value_planes))
        return self.policy_logits(policy_planes), jnp.tanh(self.value(hidden)[:, 0])


class VectorHeads(nnx.Module):
    """Computes policy and value from a hidden layer, `[B, features]`."""

    def __init__(self, features: int, num_actions: int, *, kernel_init: KernelInitializer) -> None:
        self.policy_logits = OutputDense(features, num_actions, kernel_init=kernel_init)
        self.value = OutputDense(features, 1, kernel_init=kernel_init)

    def __call__(self, features: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Returns policy logits `[B, A]` and values `[B]` in (-1, 1), from the mover's view."""
        return self.policy_logits(features), jnp.tanh(self.value(features)[:, 0])
