"""The network of MuZero: representation, dynamics and prediction over latents of the board's shape.

"Mastering Atari, Go, Chess and Shogi by planning with a learned model", Schrittwieser et al.,
Nature 2020.
"""

import jax
import jax.numpy as jnp
from flax import nnx

from azjax.networks.architectures.blocks import Tower
from azjax.networks.architectures.consistency import ConsistencyHead
from azjax.networks.architectures.heads import BoardHeads
from azjax.networks.architectures.initializers import KernelInitializer
from azjax.networks.architectures.layers import Conv3x3, make_norm, normalize
from azjax.networks.config import NetworkConfig
from azjax.networks.outputs import Outputs

_SMALLEST_RANGE = 1e-5  # of a latent's values, instead of a division by 0


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
        config: NetworkConfig,
        observation_shape: tuple[int, int, int],
        num_actions: int,
        num_action_planes: int,
        *,
        kernel_init: KernelInitializer,
    ) -> None:
        height, width, planes = observation_shape
        channels = config.channels

        def make_tower() -> Tower:
            return Tower(
                Conv3x3,
                channels,
                config.blocks,
                config.norm,
                global_pooling=config.global_pooling,
                kernel_init=kernel_init,
            )

        self.stem = Conv3x3(planes, channels, kernel_init=kernel_init)
        self.stem_norm = make_norm(config.norm, channels)
        self.representation = make_tower()
        self.turn_stem = Conv3x3(channels + num_action_planes, channels, kernel_init=kernel_init)
        self.turn_stem_norm = make_norm(config.norm, channels)
        self.dynamics = make_tower()
        self.prediction = make_tower()
        self.heads = BoardHeads(config, height, width, num_actions, kernel_init=kernel_init)
        self.consistency = (
            ConsistencyHead(height * width * channels, kernel_init=kernel_init)
            if "consistency" in config.auxiliary_heads
            else None
        )

    def __call__(self, observations: jax.Array) -> Outputs:
        """Returns the outputs for observations `[B, H, W, C]`."""
        return self.predict(self.represent(observations))

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


def _pass_turn(latents: jax.Array) -> jax.Array:
    """Returns the latents `[B, H, W, channels]` after their halves have changed places."""
    return jnp.roll(latents, latents.shape[-1] // 2, axis=-1)


def _scale(latents: jax.Array) -> jax.Array:
    """Returns the latents `[B, H, W, channels]` scaled from 0 to 1, each by its own range."""
    axes = (1, 2, 3)
    values = latents.astype(jnp.float32)
    low, high = values.min(axes, keepdims=True), values.max(axes, keepdims=True)
    return ((values - low) / jnp.maximum(high - low, _SMALLEST_RANGE)).astype(latents.dtype)
