"""The multilayer perceptron."""

import dataclasses
import math
from typing import ClassVar

import jax
from flax import nnx

from azjax.networks.config import BoardShape, TorsoAxes, TowerConfig
from azjax.networks.layers import Dense, KernelInitializer, Norm, Tower, make_norm, normalize


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
        """Makes the module that maps observations to features of the board."""
        inputs = math.prod(observation_shape)
        return MLPTorso(inputs, self.channels, self.blocks, self.norm, kernel_init=kernel_init)

    def torso_axes(self) -> TorsoAxes:
        return TorsoAxes(features="board", layers={"stem": ("cells of planes", "units")})
