"""The small convolutional network."""

import jax
from flax import nnx

from azjax.networks.architectures.heads import BoardHeads
from azjax.networks.architectures.initializers import KernelInitializer
from azjax.networks.architectures.layers import Conv3x3, make_norm, normalize
from azjax.networks.config import NetworkConfig
from azjax.networks.outputs import Outputs


class ConvNet(nnx.Module):
    """Two 3x3 convolutions and the heads; quick to train."""

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
        self.first = Conv3x3(planes, channels, kernel_init=kernel_init)
        self.first_norm = make_norm(config.norm, channels)
        self.second = Conv3x3(channels, channels, kernel_init=kernel_init)
        self.second_norm = make_norm(config.norm, channels)
        self.heads = BoardHeads(config, height, width, num_actions, kernel_init=kernel_init)

    def __call__(self, observations: jax.Array) -> Outputs:
        """Returns the outputs for observations `[B, H, W, C]`."""
        features = nnx.relu(normalize(self.first_norm, self.first(observations)))
        features = nnx.relu(normalize(self.second_norm, self.second(features)))
        return self.heads(features)
