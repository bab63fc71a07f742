"""The layers that the architectures share."""

import jax
import jax.numpy as jnp
from flax import nnx

from azjax.networks.config import Norm
from azjax.networks.conv import conv3x3

_KERNEL_INIT = nnx.initializers.he_normal()
_ZERO_INIT = nnx.initializers.zeros_init()
_SMALL_INIT = nnx.initializers.variance_scaling(1e-4, "fan_in", "truncated_normal")


class Conv3x3(nnx.Module):
    """Convolves `[B, H, W, in_channels]` to `[B, H, W, out_channels]`, zeros around the board."""

    def __init__(
        self, in_channels: int, out_channels: int, *, zero: bool = False, rngs: nnx.Rngs
    ) -> None:
        kernel_init = _ZERO_INIT if zero else _KERNEL_INIT
        self.kernel = nnx.Param(kernel_init(rngs.params(), (3, 3, in_channels, out_channels)))
        self.bias = nnx.Param(jnp.zeros(out_channels))

    def __call__(self, inputs: jax.Array) -> jax.Array:
        """Returns the convolution plus the bias."""
        return conv3x3(inputs, self.kernel[...]) + self.bias[...].reshape(1, 1, 1, -1)


def dense(in_features: int, out_features: int, *, zero: bool = False, rngs: nnx.Rngs) -> nnx.Linear:
    """Makes a hidden dense layer, initialised for ReLU (or at zero)."""
    kernel_init = _ZERO_INIT if zero else _KERNEL_INIT
    return nnx.Linear(in_features, out_features, kernel_init=kernel_init, rngs=rngs)


def output_dense(in_features: int, out_features: int, *, rngs: nnx.Rngs) -> nnx.Linear:
    """Makes an output layer so small that a fresh network is near uniform and near value 0."""
    return nnx.Linear(in_features, out_features, kernel_init=_SMALL_INIT, rngs=rngs)


class Identity(nnx.Module):
    """Stands where no normalisation is wanted."""

    def __call__(self, inputs: jax.Array) -> jax.Array:
        """Returns the inputs."""
        return inputs


def make_norm(norm: Norm, features: int, *, zero: bool = False, rngs: nnx.Rngs) -> nnx.Module:
    """Makes a normalisation of the last axis; `zero` starts its scale at zero.

    Batch normalisation starts in evaluation mode (running statistics).
    """
    scale_init = _ZERO_INIT if zero else nnx.initializers.ones_init()
    if norm == "layer":
        return nnx.LayerNorm(features, scale_init=scale_init, rngs=rngs)
    if norm == "batch":
        return nnx.BatchNorm(
            features,
            use_running_average=True,
            momentum=0.9,
            scale_init=scale_init,
            rngs=rngs,
        )
    return Identity()
