"""The small convolutional network."""

import dataclasses
from typing import ClassVar

import jax
from flax import nnx

from azjax.networks.config import BoardShape, NormalizedConfig, TorsoAxes
from azjax.networks.layers import Conv3x3, KernelInitializer, Norm, make_norm, normalize


class ConvNetTorso(nnx.Module):
    """Two 3x3 convolutions."""

    def __init__(
        self, planes: int, channels: int, norm: Norm, *, kernel_init: KernelInitializer
    ) -> None:
        self.first = Conv3x3(planes, channels, kernel_init=kernel_init)
        self.first_norm = make_norm(norm, channels)
        self.second = Conv3x3(channels, channels, kernel_init=kernel_init)
        self.second_norm = make_norm(norm, channels)

    def __call__(self, observations: jax.Array) -> jax.Array:
        """Returns the features `[B, H, W, channels]` of observations `[B, H, W, C]`."""
        features = nnx.relu(normalize(self.first_norm, self.first(observations)))
        return nnx.relu(normalize(self.second_norm, self.second(features)))


@dataclasses.dataclass(frozen=True)
class ConvNetConfig(NormalizedConfig):
    """Two 3x3 convolutions; quick to train."""

    name: ClassVar[str] = "convnet"
    is_convolutional: ClassVar[bool] = True

    def make_torso(
        self, observation_shape: BoardShape, *, kernel_init: KernelInitializer, rngs: nnx.Rngs
    ) -> ConvNetTorso:
        """Makes the module that maps observations to features of cells."""
        planes = observation_shape[-1]
        return ConvNetTorso(planes, self.channels, self.norm, kernel_init=kernel_init)

    def torso_axes(self) -> TorsoAxes:
        return TorsoAxes(layers={"first": ("fixed", "units")})
