"""Residual blocks (He et al. 2016, "Deep Residual Learning for Image Recognition")."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from flax import nnx

from azjax.networks.config import Norm
from azjax.networks.initializers import KernelInitializer
from azjax.networks.layers import make_norm, normalise


class ResidualBlock(nnx.Module):
    """Computes `relu(x + second(relu(first(x))))`, each of the two with its normalisation.

    The last operation of the second starts at zero, so that a fresh block is the identity on
    the trunk: this is what keeps a deep tower stable where nothing is normalised.
    """

    def __init__(
        self,
        layer: Callable[..., nnx.Module],
        features: int,
        norm: Norm,
        *,
        kernel_init: KernelInitializer,
    ) -> None:
        self.first = layer(features, features, kernel_init=kernel_init)
        self.first_norm = make_norm(norm, features)
        self.second = layer(features, features, zero=norm == "none", kernel_init=kernel_init)
        self.second_norm = make_norm(norm, features, zero=True)

    def __call__(self, inputs: jax.Array) -> jax.Array:
        """Returns the block's output, of the same shape as its inputs."""
        hidden = nnx.relu(normalise(self.first_norm, self.first(inputs)))
        return nnx.relu(inputs + normalise(self.second_norm, self.second(hidden)))


class Tower(nnx.Module):
    """Stacks residual blocks, as one block whose arrays have an axis of blocks in front.

    They are a loop over that axis, compiled once however many blocks there are; unrolled it takes
    longer to compile, and less to run where a block takes little.
    """

    is_unrolled = False

    def __init__(
        self,
        layer: Callable[..., nnx.Module],
        features: int,
        blocks: int,
        norm: Norm,
        *,
        kernel_init: KernelInitializer,
    ) -> None:
        alike = [
            ResidualBlock(layer, features, norm, kernel_init=kernel_init) for _ in range(blocks)
        ]
        self.blocks = _stack(alike) if alike else None

    def __call__(self, features: jax.Array) -> jax.Array:
        """Returns the last block's output, of the same shape as the features."""
        if self.blocks is None:
            return features

        @nnx.scan(in_axes=(nnx.Carry, 0), out_axes=nnx.Carry, unroll=self.is_unrolled)
        def apply_blocks(features: jax.Array, block: ResidualBlock) -> jax.Array:
            return block(features)

        return apply_blocks(features, self.blocks)


def _stack(modules: list[nnx.Module]) -> nnx.Module:
    """Returns a module of arrays `[N, ...]` where each of N modules has arrays `[...]`."""
    graph, first = nnx.split(modules[0])
    others = [nnx.state(module) for module in modules[1:]]
    return nnx.merge(graph, jax.tree.map(lambda *arrays: jnp.stack(arrays), first, *others))
