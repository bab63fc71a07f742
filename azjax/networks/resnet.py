"""The residual network, as in AlphaZero."""

import dataclasses
from typing import ClassVar

import jax
from flax import nnx

from azjax.networks.config import BoardShape, TorsoAxes, TowerConfig
from azjax.networks.layers import Conv3x3, KernelInitializer, Tower, make_norm, normalize


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
        """Makes the module that maps observations to features of cells."""
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
