"""The network of residual blocks, AlphaZero's own kind."""

import jax
from flax import nnx

from azjax.networks.blocks import Tower
from azjax.networks.config import NetworkConfig
from azjax.networks.heads import BoardHeads
from azjax.networks.layers import Conv3x3, make_norm


class ResNet(nnx.Module):
    """A 3x3 convolution, residual blocks of two more each (He et al. 2016), and the heads."""

    def __init__(
        self,
        config: NetworkConfig,
        observation_shape: tuple[int, int, int],
        num_actions: int,
        *,
        rngs: nnx.Rngs,
    ) -> None:
        height, width, planes = observation_shape
        channels = config.channels
        self.stem = Conv3x3(planes, channels, rngs=rngs)
        self.stem_norm = make_norm(config.norm, channels, rngs=rngs)
        self.tower = Tower(Conv3x3, channels, config.blocks, config.norm, rngs=rngs)
        self.heads = BoardHeads(height, width, channels, num_actions, rngs=rngs)

    def __call__(self, observations: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Returns policy logits `[B, A]` and values `[B]` in (-1, 1), the mover's view."""
        features = nnx.relu(self.stem_norm(self.stem(observations)))
        return self.heads(self.tower(features))
