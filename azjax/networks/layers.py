"""The layers and residual blocks that networks share, and their initial kernels."""

import functools
import math
from collections.abc import Callable, Sequence
from typing import Literal, TypeVar

import jax
import jax.numpy as jnp
from flax import nnx

from azjax.networks.ops.conv import conv3x3
from azjax.networks.ops.matmul import multiply

Norm = Literal["none", "layer", "batch"]

ModuleT = TypeVar("ModuleT", bound=nnx.Module)

_BOUND = 2.0  # standard deviations
_DEVIATION = 0.87962566103423978  # of a standard normal variable truncated at the bound
# Gains of `KernelInitializer`: the variance of a kernel times its number of inputs.
_HIDDEN, _OUTPUT, _ZERO = 2.0, 1e-4, 0.0


class KernelInitializer:
    """Initializes the kernels of a network, in the order of its calls.

    They are truncated normal with a variance of `gain` over the number of inputs (He et al. 2015,
    "Delving Deep into Rectifiers"). All are slices of one sample, as a program that samples often
    compiles slowly.
    """

    def __init__(self, values: jax.Array | None = None) -> None:
        """Takes `[N]` values of `sample_truncated_normal`; without values kernels are zeros."""
        self._values = values
        self.num_used = 0  # of the values, by the kernels so far

    def __call__(self, shape: tuple[int, ...], gain: float) -> jax.Array:
        """Returns the next kernel; its last axis is of the outputs."""
        begin, self.num_used = self.num_used, self.num_used + math.prod(shape)
        if self._values is None:
            return jnp.zeros(shape)
        deviation = math.sqrt(gain / math.prod(shape[:-1])) / _DEVIATION
        return deviation * self._values[begin : self.num_used].reshape(shape)


def sample_truncated_normal(key: jax.Array, num: int) -> jax.Array:
    """Samples `[num]` values of a standard normal, truncated at two standard deviations."""
    return jax.random.truncated_normal(key, -_BOUND, _BOUND, (num,))


class Layer(nnx.Module):
    """A kernel `[inputs, *window, outputs]` and a bias."""

    window: tuple[int, ...] = ()
    gain = _HIDDEN

    def __init__(
        self, inputs: int, outputs: int, *, zero_init: bool = False, kernel_init: KernelInitializer
    ) -> None:
        shape = (inputs, *self.window, outputs)
        self.kernel = nnx.Param(kernel_init(shape, _ZERO if zero_init else self.gain))
        self.bias = nnx.Param(jnp.zeros(outputs))

    def affine(self, inputs: jax.Array) -> jax.Array:
        """Returns the product of `[..., inputs]` with the kernel plus the bias, in float32."""
        bias = self.bias[...].reshape((1,) * (inputs.ndim - 1) + (-1,))
        return multiply(inputs, self.kernel[...]) + bias


class Conv3x3(Layer):
    """Convolves `[B, H, W, inputs]` to `[B, H, W, outputs]`, with zero padding."""

    window = (3, 3)

    def __call__(self, inputs: jax.Array) -> jax.Array:
        """Returns the convolution plus the bias, in the dtype of the inputs."""
        outputs = conv3x3(inputs, self.kernel[...])
        # In the outputs' dtype, so that cuDNN adds the bias in the convolution's kernel.
        bias = self.bias[...].astype(outputs.dtype).reshape(1, 1, 1, -1)
        return (outputs + bias).astype(inputs.dtype)


class Dense(Layer):
    """A hidden layer: multiplies `[..., inputs]` to `[..., outputs]`."""

    def __call__(self, inputs: jax.Array) -> jax.Array:
        """Returns the product plus the bias, in the dtype of the inputs."""
        return self.affine(inputs).astype(inputs.dtype)


class OutputDense(Layer):
    """An output layer, of small weights: fresh policies are near uniform, values near 0."""

    gain = _OUTPUT

    def __call__(self, inputs: jax.Array) -> jax.Array:
        """Returns the product plus the bias, in float32."""
        return self.affine(inputs)


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


def normalize(norm: nnx.Module | None, activations: jax.Array) -> jax.Array:
    """Returns the activations normalized, in their own dtype; the statistics are float32."""
    return activations if norm is None else norm(activations).astype(activations.dtype)


def make_norm(norm: Norm, features: int, *, zero_init: bool = False) -> nnx.Module | None:
    """Makes a normalization of the last axis, if any; with `zero_init` its scale starts at zero.

    Batch normalization starts in evaluation mode, with running statistics.
    """
    scale_init = nnx.initializers.zeros_init() if zero_init else nnx.initializers.ones_init()
    rngs = nnx.Rngs(0)  # required by Flax, not used
    if norm == "layer":
        return nnx.LayerNorm(features, scale_init=scale_init, rngs=rngs)
    if norm == "batch":
        return nnx.BatchNorm(
            features, use_running_average=True, momentum=0.9, scale_init=scale_init, rngs=rngs
        )
    return None


class ResidualBlock(nnx.Module):
    """Computes `relu(x + second(relu(first(x))))`; a normalization may follow each layer.

    He et al. 2016, "Deep Residual Learning for Image Recognition".

    With global pooling `first(x)` becomes `first(x) + pooling(first(x))`, the same for every cell.

    The last operation of the second starts at zero, so a fresh block is the identity on its
    non-negative inputs. This keeps a deep tower stable without normalization.
    """

    def __init__(
        self,
        layer: Callable[..., nnx.Module],
        features: int,
        norm: Norm,
        *,
        global_pooling: bool = False,
        kernel_init: KernelInitializer,
    ) -> None:
        self.first = layer(features, features, kernel_init=kernel_init)
        self.first_norm = make_norm(norm, features)
        self.second = layer(features, features, zero_init=norm == "none", kernel_init=kernel_init)
        self.second_norm = make_norm(norm, features, zero_init=True)
        self.pooling = (
            GlobalPooling(features, features, kernel_init=kernel_init) if global_pooling else None
        )

    def __call__(self, inputs: jax.Array) -> jax.Array:
        """Returns the block's output, of the shape of its inputs."""
        hidden = self.first(inputs)
        if self.pooling is not None:
            hidden += self.pooling(hidden)[:, None, None]
        hidden = nnx.relu(normalize(self.first_norm, hidden))
        return nnx.relu(inputs + normalize(self.second_norm, self.second(hidden)))


class Tower(nnx.Module):
    """Applies residual blocks in turn, by a scan over one block whose arrays have a block axis.

    A scan compiles one block whatever their number. Unrolled it takes longer to compile, but runs
    faster where blocks are small.
    """

    is_unrolled = False

    def __init__(
        self,
        layer: Callable[..., nnx.Module],
        features: int,
        blocks: int,
        norm: Norm,
        *,
        global_pooling: bool = False,
        kernel_init: KernelInitializer,
    ) -> None:
        make_block = functools.partial(
            ResidualBlock, layer, features, norm, global_pooling=global_pooling
        )
        modules = [make_block(kernel_init=kernel_init) for _ in range(blocks)]
        self.blocks = _stack(modules) if modules else None

    def __call__(self, features: jax.Array) -> jax.Array:
        """Returns the last block's output, of the shape of the features."""
        if self.blocks is None:
            return features

        @nnx.scan(in_axes=(nnx.Carry, 0), out_axes=nnx.Carry, unroll=self.is_unrolled)
        def scan_blocks(features: jax.Array, block: ResidualBlock) -> jax.Array:
            return block(features)

        return scan_blocks(features, self.blocks)


def _stack(modules: Sequence[ModuleT]) -> ModuleT:
    """Stacks the arrays `[...]` of N equal modules to one module of arrays `[N, ...]`."""
    graph, first = nnx.split(modules[0])
    others = [nnx.state(module) for module in modules[1:]]
    return nnx.merge(graph, jax.tree.map(lambda *arrays: jnp.stack(arrays), first, *others))
