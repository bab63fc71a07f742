"""The module of MuZero: representation, dynamics and prediction over latents of the board's shape.

"Mastering Atari, Go, Chess and Shogi by planning with a learned model", Schrittwieser et al.,
Nature 2020.
"""

import jax
import jax.numpy as jnp
from flax import nnx

from azjax.networks.heads import BoardHeads, Outputs
from azjax.networks.layers import Conv3x3, Dense, KernelInitializer, make_norm, normalize
from azjax.networks.resnet import ResNetConfig

_SMALLEST_RANGE = 1e-5  # of a latent's values, instead of a division by 0
_FEATURES, _BOTTLENECK = 256, 64  # of the head for consistency


class LatentModel(nnx.Module):
    """Three towers of residual blocks: board to latent, action to next latent, latent to outputs.

    A latent is `[B, H, W, channels]`. Its values are scaled to lie between 0 and 1, position by
    position, so that latents of any depth are on one scale, which is that of the action planes.

    Observations are from the mover's view, and an action passes the turn. So the halves of the
    channels change places at each action: what belongs to the mover then belongs to the opponent,
    and the dynamics need not learn it.
    """

    def __init__(
        self,
        config: ResNetConfig,
        observation_shape: tuple[int, int, int],
        num_actions: int,
        num_action_planes: int,
        *,
        has_consistency: bool,
        kernel_init: KernelInitializer,
    ) -> None:
        height, width, planes = observation_shape
        channels = config.channels
        self.stem = Conv3x3(planes, channels, kernel_init=kernel_init)
        self.stem_norm = make_norm(config.norm, channels)
        self.representation = config.make_tower(kernel_init)
        self.turn_stem = Conv3x3(channels + num_action_planes, channels, kernel_init=kernel_init)
        self.turn_stem_norm = make_norm(config.norm, channels)
        self.dynamics = config.make_tower(kernel_init)
        self.prediction = config.make_tower(kernel_init)
        self.heads = BoardHeads(config, height * width, num_actions, (), kernel_init=kernel_init)
        self.consistency = (
            ConsistencyHead(height * width * channels, kernel_init=kernel_init)
            if has_consistency
            else None
        )

    def __call__(self, observations: jax.Array) -> jax.Array:
        """Returns the features that the heads read, for observations `[B, H, W, C]`."""
        return self.prediction(self.represent(observations))

    def represent(self, observations: jax.Array) -> jax.Array:
        """Returns the latents of observations `[B, H, W, C]`."""
        features = nnx.relu(normalize(self.stem_norm, self.stem(observations)))
        return _scale(self.representation(features))

    def transition(self, latents: jax.Array, action_planes: jax.Array) -> jax.Array:
        """Returns the latents after actions, given as planes `[B, H, W, P]`."""
        latents = _pass_turn(latents)
        inputs = jnp.concatenate([latents, action_planes.astype(latents.dtype)], axis=-1)
        change = normalize(self.turn_stem_norm, self.turn_stem(inputs))
        return _scale(self.dynamics(nnx.relu(latents + change)))

    def predict(self, latents: jax.Array) -> Outputs:
        """Returns the outputs for latents."""
        return self.heads(self.prediction(latents))


class ConsistencyHead(nnx.Module):
    """Compares a latent of the dynamics with the latent of the position that it stands for.

    The projector and the predictor of SimSiam (Chen and He 2021), as in EfficientZero ("Mastering
    Atari Games with Limited Data", Ye et al. 2021). Without a normalization of the features all
    projections tend to one; theirs is over the batch, this one over the features.
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


def _pass_turn(latents: jax.Array) -> jax.Array:
    """Returns the latents `[B, H, W, channels]` after their halves have changed places."""
    return jnp.roll(latents, latents.shape[-1] // 2, axis=-1)


def _scale(latents: jax.Array) -> jax.Array:
    """Returns the latents `[B, H, W, channels]` scaled from 0 to 1, each by its own range."""
    axes = (1, 2, 3)
    values = latents.astype(jnp.float32)
    low, high = values.min(axes, keepdims=True), values.max(axes, keepdims=True)
    return ((values - low) / jnp.maximum(high - low, _SMALLEST_RANGE)).astype(latents.dtype)
