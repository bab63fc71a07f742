"""The head that compares a latent of the dynamics with that of the position it stands for."""

import jax
from flax import nnx

from azjax.networks.architectures.initializers import KernelInitializer
from azjax.networks.architectures.layers import Dense, make_norm, normalize

_FEATURES, _BOTTLENECK = 256, 64


class ConsistencyHead(nnx.Module):
    """The projector and the predictor of SimSiam (Chen and He 2021), as in EfficientZero.

    "Mastering Atari Games with Limited Data", Ye et al. 2021. Without a normalization of the
    features all projections tend to one; theirs is over the batch, this one over the features.
    """

    def __init__(self, latent_size: int, *, kernel_init: KernelInitializer) -> None:
        self.first = Dense(latent_size, _FEATURES, kernel_init=kernel_init)
        self.norm = make_norm("layer", _FEATURES)
        self.second = Dense(_FEATURES, _FEATURES, kernel_init=kernel_init)
        self.bottleneck = Dense(_FEATURES, _BOTTLENECK, kernel_init=kernel_init)
        self.last = Dense(_BOTTLENECK, _FEATURES, kernel_init=kernel_init)

    def project(self, latents: jax.Array) -> jax.Array:
        """Returns `[B, F]` features of latents `[B, H, W, channels]`."""
        features = self.first(latents.reshape(len(latents), -1))
        hidden = nnx.relu(normalize(self.norm, features))
        return self.second(hidden)

    def predict(self, projections: jax.Array) -> jax.Array:
        """Returns `[B, F]`: what the projection of the position itself should be."""
        return self.last(nnx.relu(self.bottleneck(projections)))
