"""The layers that the architectures share."""

import jax
import jax.numpy as jnp
from flax import nnx

from azjax.networks.architectures.initializers import KernelInitializer
from azjax.networks.config import Norm
from azjax.networks.ops.conv import conv3x3
from azjax.networks.ops.matmul import multiply

# Gains of `KernelInitializer`: the variance of a kernel times its number of inputs.
_HIDDEN, _OUTPUT, _ZERO = 2.0, 1e-4, 0.0


class Conv3x3(nnx.Module):
    """Convolves `[B, H, W, in_channels]` to `[B, H, W, out_channels]`, with zero padding."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        zero_init: bool = False,
        kernel_init: KernelInitializer,
    ) -> None:
        shape = (in_channels, 3, 3, out_channels)
        self.kernel = nnx.Param(kernel_init(shape, _ZERO if zero_init else _HIDDEN))
        self.bias = nnx.Param(jnp.zeros(out_channels))

    def __call__(self, inputs: jax.Array) -> jax.Array:
        """Returns the convolution plus the bias, in the dtype of the inputs."""
        outputs = conv3x3(inputs, self.kernel[...])
        # In the outputs' dtype, so that cuDNN adds the bias in the convolution's kernel.
        bias = self.bias[...].astype(outputs.dtype).reshape(1, 1, 1, -1)
        return (outputs + bias).astype(inputs.dtype)


class Dense(nnx.Module):
    """A hidden layer: multiplies `[..., in_features]` to `[..., out_features]`."""

    def __init__(
        self,
        in_features: int,
        out_features: int,
        *,
        zero_init: bool = False,
        kernel_init: KernelInitializer,
    ) -> None:
        shape = (in_features, out_features)
        self.kernel = nnx.Param(kernel_init(shape, _ZERO if zero_init else _HIDDEN))
        self.bias = nnx.Param(jnp.zeros(out_features))

    def __call__(self, inputs: jax.Array) -> jax.Array:
        """Returns the product plus the bias, in the dtype of the inputs."""
        return _affine(self, inputs).astype(inputs.dtype)


class OutputDense(nnx.Module):
    """An output layer, of small weights: fresh policies are near uniform, values near 0."""

    def __init__(
        self,
        in_features: int,
        out_features: int,
        *,
        kernel_init: KernelInitializer,
    ) -> None:
        self.kernel = nnx.Param(kernel_init((in_features, out_features), _OUTPUT))
        self.bias = nnx.Param(jnp.zeros(out_features))

    def __call__(self, inputs: jax.Array) -> jax.Array:
        """Returns the product plus the bias, in float32."""
        return _affine(self, inputs)


class GlobalPooling(nnx.Module):
    """Maps the mean and the maximum over the board of `[B, H, W, channels]` to `[B, features]`.

    What a cell alone cannot see, such as who is ahead, reaches all cells in one layer (Wu 2019,
    "Accelerating Self-Play Learning in Go", section 3.3). It starts at zero.
    """

    def __init__(self, channels: int, features: int, *, kernel_init: KernelInitializer) -> None:
        self.pooled = Dense(2 * channels, features, zero_init=True, kernel_init=kernel_init)

    def __call__(self, inputs: jax.Array) -> jax.Array:
        """Returns the features, in the dtype of the inputs."""
        mean, maximum = inputs.mean(axis=(1, 2)), inputs.max(axis=(1, 2))
        return self.pooled(jnp.concatenate([mean, maximum], axis=-1))


def _affine(layer: Dense | OutputDense, inputs: jax.Array) -> jax.Array:
    bias = layer.bias[...].reshape((1,) * (inputs.ndim - 1) + (-1,))
    return multiply(inputs, layer.kernel[...]) + bias


class Identity(nnx.Module):
    """Takes the place of a normalization where there is none."""

    def __call__(self, inputs: jax.Array) -> jax.Array:
        """Returns the inputs."""
        return inputs


def normalize(norm: nnx.Module, activations: jax.Array) -> jax.Array:
    """Returns the activations normalized, in their own dtype; the statistics are float32."""
    return norm(activations).astype(activations.dtype)


def make_norm(norm: Norm, features: int, *, zero_init: bool = False) -> nnx.Module:
    """Makes a normalization of the last axis; with `zero_init` its scale starts at zero.

    Batch normalization starts in evaluation mode, with running statistics.
    """
    scale_init = nnx.initializers.zeros_init() if zero_init else nnx.initializers.ones_init()
    rngs = nnx.Rngs(0)  # required by Flax, not used
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
