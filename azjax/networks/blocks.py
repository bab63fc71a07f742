"""Residual blocks (He et al. 2016, "Deep Residual Learning for Image Recognition")."""

from collections.abc import Callable

import jax
from flax import nnx

from azjax.networks.config import Norm
from azjax.networks.draws import Draws
from azjax.networks.layers import make_norm, normalise


class ResidualBlock(nnx.Module):
    """Computes `relu(x + second(relu(first(x))))`, each of the two with its normalisation.

    The last operation of the second starts at zero, so that a fresh block is the identity on
    the trunk: this is what keeps a deep tower stable where nothing is normalised.
    """

    def __init__(
        self, layer: Callable[..., nnx.Module], features: int, norm: Norm, *, draws: Draws
    ) -> None:
        self.first = layer(features, features, draws=draws)
        self.first_norm = make_norm(norm, features)
        self.second = layer(features, features, zero=norm == "none", draws=draws)
        self.second_norm = make_norm(norm, features, zero=True)

    def __call__(self, inputs: jax.Array) -> jax.Array:
        """Returns the block's output, of the same shape as its inputs."""
        hidden = nnx.relu(normalise(self.first_norm, self.first(inputs)))
        return nnx.relu(inputs + normalise(self.second_norm, self.second(hidden)))


class Tower(nnx.Module):
    """Stacks residual blocks, named `block_0`, `block_1` and so on in the parameters."""

    def __init__(
        self,
        layer: Callable[..., nnx.Module],
        features: int,
        blocks: int,
        norm: Norm,
        *,
        draws: Draws,
    ) -> None:
        for index in range(blocks):
            setattr(self, f"block_{index}", ResidualBlock(layer, features, norm, draws=draws))
        self.num_blocks = blocks

    def __call__(self, features: jax.Array) -> jax.Array:
        """Returns the last block's output, of the same shape as the features."""
        for index in range(self.num_blocks):
            features = getattr(self, f"block_{index}")(features)
        return features
