"""The two outputs of every network: policy logits and the mover's value."""

import jax
import jax.numpy as jnp
from flax import nnx

from azjax.networks.layers import dense, output_dense

_POLICY_PLANES = 2
_VALUE_PLANES = 1


class BoardHeads(nnx.Module):
    """Reads policy and value from the trunk's `[B, H, W, channels]`.

    The 1x1 convolutions of both heads are one product. Their planes are so few that a plain ReLU
    could leave one dead on every board from the start, so its negative side leaks.
    """

    def __init__(
        self, height: int, width: int, channels: int, num_actions: int, *, rngs: nnx.Rngs
    ) -> None:
        cells = height * width
        self.planes = dense(channels, _POLICY_PLANES + _VALUE_PLANES, rngs=rngs)
        self.policy_logits = output_dense(_POLICY_PLANES * cells, num_actions, rngs=rngs)
        self.value_hidden = dense(_VALUE_PLANES * cells, channels, rngs=rngs)
        self.value = output_dense(channels, 1, rngs=rngs)

    def __call__(self, features: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Returns policy logits `[B, A]` and values `[B]` in (-1, 1), the mover's view."""
        planes = nnx.leaky_relu(self.planes(features), negative_slope=0.1)
        batch = planes.shape[0]
        policy_planes = planes[..., :_POLICY_PLANES].reshape(batch, -1)
        value_planes = planes[..., _POLICY_PLANES:].reshape(batch, -1)
        hidden = nnx.relu(self.value_hidden(value_planes))
        return self.policy_logits(policy_planes), jnp.tanh(self.value(hidden)[:, 0])


class VectorHeads(nnx.Module):
    """Reads policy and value from a hidden layer `[B, features]`."""

    def __init__(self, features: int, num_actions: int, *, rngs: nnx.Rngs) -> None:
        self.policy_logits = output_dense(features, num_actions, rngs=rngs)
        self.value = output_dense(features, 1, rngs=rngs)

    def __call__(self, features: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Returns policy logits `[B, A]` and values `[B]` in (-1, 1), the mover's view."""
        return self.policy_logits(features), jnp.tanh(self.value(features)[:, 0])
