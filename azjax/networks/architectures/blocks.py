"""Residual blocks (He et al. 2016, "Deep Residual Learning for Image Recognition")."""

import functools
from collections.abc import Callable, Sequence
from typing import TypeVar

import jax
import jax.numpy as jnp
from flax import nnx

from azjax.networks.architectures.initializers import KernelInitializer
from azjax.networks.architectures.layers import GlobalPooling, make_norm, normalize
from azjax.networks.config import Norm

ModuleT = TypeVar("ModuleT", bound=nnx.Module)


class ResidualBlock(nnx.Module):
    """Computes `relu(x + second(relu(first(x))))`; a normalization may follow each layer.

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
