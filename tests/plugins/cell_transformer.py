"""A torso of one's own: a transformer over the cells of the board.

Cells attend to each other by what is on them and by how far apart they are, so the torso is
equivariant under the symmetries of the board by construction.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from azjax.networks import NetworkConfig, TorsoAxes
from azjax.support.component import register
from azjax.support.validation import check_size


class _Block(nnx.Module):
    def __init__(self, config, num_distances, rngs):
        features, self.num_heads = config.channels, config.num_heads
        self.attention_norm, self.mlp_norm = (nnx.LayerNorm(features, rngs=rngs) for _ in range(2))
        self.qkv = nnx.Linear(features, 3 * features, rngs=rngs)
        self.first = nnx.Linear(features, 2 * features, rngs=rngs)
        self.second = nnx.Linear(2 * features, features, rngs=rngs)
        self.bias = nnx.Param(jnp.zeros((config.num_heads, num_distances)))

    def __call__(self, cells, distances):
        batch, count, _ = cells.shape
        qkv = self.qkv(self.attention_norm(cells)).reshape(batch, count, 3, self.num_heads, -1)
        bias = self.bias[...][None, :, distances].astype(cells.dtype)
        found = jax.nn.dot_product_attention(*jnp.moveaxis(qkv, 2, 0), bias=bias)
        cells = cells + found.reshape(cells.shape)
        return cells + self.second(nnx.gelu(self.first(self.mlp_norm(cells))))


class _Torso(nnx.Module):
    def __init__(self, config, observation_shape, rngs):
        height, width, planes = observation_shape
        row, column = np.divmod(np.arange(height * width), width)
        squared = (row[:, None] - row) ** 2 + (column[:, None] - column) ** 2
        kinds = np.unique(squared)
        self.distances = tuple(map(tuple, np.searchsorted(kinds, squared)))
        self.stem = nnx.Linear(planes, config.channels, rngs=rngs)
        self.blocks = nnx.List([_Block(config, len(kinds), rngs) for _ in range(config.depth)])

    def __call__(self, observations):
        features = self.stem(observations)
        cells = features.reshape(len(features), -1, features.shape[-1])
        for block in self.blocks:
            cells = block(cells, np.array(self.distances))
        return cells.reshape(features.shape)


@register
@dataclasses.dataclass(frozen=True)
class CellTransformer(NetworkConfig):
    """A transformer whose tokens are the cells of the board."""

    name = "cell_transformer"

    depth: int = 2
    """Blocks of attention and a perceptron."""
    num_heads: int = 4
    """Heads of attention, a divisor of channels."""

    def check(self):
        """Raises ValueError if a size is out of range."""
        super().check()
        check_size("depth", self.depth, 1, 64)
        check_size("num_heads", self.num_heads, 1, self.channels)

    def make_torso(self, observation_shape, *, kernel_init, rngs):
        """Returns the torso, whose features are those of cells."""
        return _Torso(self, observation_shape, rngs)

    def torso_axes(self):
        """Returns that the torso is equivariant by construction."""
        return TorsoAxes(hidden="fixed")
