"""The residual network, as in AlphaZero."""

import jax
from flax import nnx

from azjax.networks.architectures.blocks import Tower
from azjax.networks.architectures.heads import BoardHeads
from azjax.networks.architectures.initializers import KernelInitializer
from azjax.networks.architectures.layers import Conv3x3, make_norm, normalize
from azjax.networks.config import NetworkConfig
from azjax.networks.outputs import Outputs


class ResNet(nnx.Module):
    """A 3x3 convolution, residual blocks of two convolutions (He et al. 2016), and the heads."""

    def __init__(
        self,
        config: NetworkConfig,
        observation_shape: tuple[int, int, int],
        num_actions: int,
        *,
        kernel_init: KernelInitializer,
    ) -> None:
        height, width, planes = observation_shape
        channels = config.channels
        self.stem = Conv3x3(planes, channels, kernel_init=kernel_init)
        self.stem_norm = make_norm(config.norm, channels)
        self.tower = Tower(
            Conv3x3,
            channels,
            config.blocks,
            config.norm,
            global_pooling=config.global_pooling,
            kernel_init=kernel_init,
        )
        self.heads = BoardHeads(config, height, width, num_actions, kernel_init=kernel_init)

    def __call__(self, observations: jax.Array) -> Outputs:
        """Returns the outputs for observations `[B, H, W, C]`."""
        features = nnx.relu(normalize(self.stem_norm, self.stem(observations)))
        return self.heads(self.tower(features))
