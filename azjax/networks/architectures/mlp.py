"""The multilayer perceptron."""

import jax
from flax import nnx

from azjax.networks.architectures.blocks import Tower
from azjax.networks.architectures.heads import VectorHeads
from azjax.networks.architectures.initializers import KernelInitializer
from azjax.networks.architectures.layers import Dense, make_norm, normalize
from azjax.networks.config import NetworkConfig
from azjax.networks.outputs import Outputs


class MLP(nnx.Module):
    """A dense layer on the flattened board, residual blocks of two dense layers, and the heads."""

    def __init__(
        self,
        config: NetworkConfig,
        observation_shape: tuple[int, int, int],
        num_actions: int,
        *,
        kernel_init: KernelInitializer,
    ) -> None:
        height, width, planes = observation_shape
        features = config.channels
        self.stem = Dense(height * width * planes, features, kernel_init=kernel_init)
        self.stem_norm = make_norm(config.norm, features)
        self.tower = Tower(Dense, features, config.blocks, config.norm, kernel_init=kernel_init)
        self.heads = VectorHeads(config, height, width, num_actions, kernel_init=kernel_init)

    def __call__(self, observations: jax.Array) -> Outputs:
        """Returns the outputs for observations `[B, H, W, C]`."""
        flat = observations.reshape(observations.shape[0], -1)
        features = nnx.relu(normalize(self.stem_norm, self.stem(flat)))
        return self.heads(self.tower(features))
