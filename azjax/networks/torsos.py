"""azjax's own torsos: the multilayer perceptron, the small convolutional network, the resnet."""

import dataclasses
import math
from typing import ClassVar

import jax
from flax import nnx

from azjax.networks.config import BoardShape, NormalizedConfig, TorsoAxes, TowerConfig
from azjax.networks.layers import (
    Conv3x3,
    Dense,
    KernelInitializer,
    Norm,
    Tower,
    make_norm,
    normalize,
)


class MLPTorso(nnx.Module):
    """A dense layer on the flattened board, and residual blocks of two dense layers."""

    def __init__(
        self, inputs: int, channels: int, blocks: int, norm: Norm, *, kernel_init: KernelInitializer
    ) -> None:
        self.stem = Dense(inputs, channels, kernel_init=kernel_init)
        self.stem_norm = make_norm(norm, channels)
        self.tower = Tower(Dense, channels, blocks, norm, kernel_init=kernel_init)

    def __call__(self, observations: jax.Array) -> jax.Array:
        """Returns the features `[B, channels]` of observations `[B, H, W, C]`."""
        flat = observations.reshape(observations.shape[0], -1)
        return self.tower(nnx.relu(normalize(self.stem_norm, self.stem(flat))))


@dataclasses.dataclass(frozen=True)
class MLPConfig(TowerConfig):
    """Dense layers on the flattened board."""

    name: ClassVar[str] = "mlp"

    def make_torso(
        self, observation_shape: BoardShape, *, kernel_init: KernelInitializer, rngs: nnx.Rngs
    ) -> MLPTorso:
        inputs = math.prod(observation_shape)
        return MLPTorso(inputs, self.channels, self.blocks, self.norm, kernel_init=kernel_init)

    def torso_axes(self) -> TorsoAxes:
        return TorsoAxes(features="board", layers={"stem": ("cells of planes", "units")})


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
        planes = observation_shape[-1]
        return ConvNetTorso(planes, self.channels, self.norm, kernel_init=kernel_init)

    def torso_axes(self) -> TorsoAxes:
        return TorsoAxes(layers={"first": ("fixed", "units")})


@dataclasses.dataclass(frozen=True)
class ResNetConfig(TowerConfig):
    """A 3x3 convolution, and residual blocks of two (He et al. 2016)."""

    name: ClassVar[str] = "resnet"
    is_convolutional: ClassVar[bool] = True

    global_pooling: bool = False
    """Let every cell and the value head see the mean and the maximum of each channel over the
    board, as in KataGo."""

    def make_torso(
        self, observation_shape: BoardShape, *, kernel_init: KernelInitializer, rngs: nnx.Rngs
    ) -> "ResNetTorso":
        return ResNetTorso(self, observation_shape[-1], kernel_init=kernel_init)

    def torso_axes(self) -> TorsoAxes:
        return TorsoAxes(layers={"stem": ("fixed", "units")})

    @property
    def pools_value(self) -> bool:
        """Whether the value head sees the mean and the maximum of each channel over the board."""
        return self.global_pooling

    def make_tower(self, kernel_init: KernelInitializer) -> Tower:
        """Makes a tower of the residual blocks."""
        return Tower(
            Conv3x3,
            self.channels,
            self.blocks,
            self.norm,
            global_pooling=self.global_pooling,
            kernel_init=kernel_init,
        )


class ResNetTorso(nnx.Module):
    """A 3x3 convolution and a tower of residual blocks."""

    def __init__(
        self, config: ResNetConfig, planes: int, *, kernel_init: KernelInitializer
    ) -> None:
        self.stem = Conv3x3(planes, config.channels, kernel_init=kernel_init)
        self.stem_norm = make_norm(config.norm, config.channels)
        self.tower = config.make_tower(kernel_init)

    def __call__(self, observations: jax.Array) -> jax.Array:
        """Returns the features `[B, H, W, channels]` of observations `[B, H, W, C]`."""
        return self.tower(nnx.relu(normalize(self.stem_norm, self.stem(observations))))
