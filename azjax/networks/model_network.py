"""MuZero's network: representation, dynamics and prediction over latents of the board's shape.

"Mastering Atari, Go, Chess and Shogi by planning with a learned model", Schrittwieser et al.,
Nature 2020.
"""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from flax import nnx

from azjax.networks.config import NetworkConfig, TorsoAxes
from azjax.networks.heads import Heads, Outputs
from azjax.networks.layers import Conv3x3, Dense, KernelInitializer, Tower, make_norm, normalize
from azjax.networks.network import Network, Variables
from azjax.networks.torsos import ResNetConfig

_SMALLEST_RANGE = 1e-5  # of a latent's values, instead of a division by 0
_FEATURES, _BOTTLENECK = 256, 64  # of the head for consistency
_GRADIENT_SHARE = 0.5  # of the gradient into a latent, at each step of the dynamics


class LatentModel(nnx.Module):
    """Three towers of residual blocks: board to latent, action to next latent, latent to outputs.

    A latent is `[B, H, W, channels]`. Its values are scaled to lie between 0 and 1, position by
    position, so that latents of any depth are on one scale, the scale of the action planes.

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
        num_cells = height * width
        self.heads = Heads(
            config, num_cells, num_actions, (), has_cells=True, kernel_init=kernel_init
        )
        latent_size = num_cells * channels
        self.consistency = (
            ConsistencyHead(latent_size, kernel_init=kernel_init) if has_consistency else None
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
        latents = jnp.roll(latents, latents.shape[-1] // 2, axis=-1)  # the turn passes
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


def _scale(latents: jax.Array) -> jax.Array:
    """Returns the latents `[B, H, W, channels]` scaled from 0 to 1, each by its own range."""
    axes = (1, 2, 3)
    values = latents.astype(jnp.float32)
    low, high = values.min(axes, keepdims=True), values.max(axes, keepdims=True)
    return ((values - low) / jnp.maximum(high - low, _SMALLEST_RANGE)).astype(latents.dtype)


class Unrolled(NamedTuple):
    """K steps of the dynamics from B positions; step 0 is the position itself."""

    outputs: Outputs  # [K + 1, B, ...]
    similarity: jax.Array | None  # [K, B] cosine; None without next observations


@dataclasses.dataclass(frozen=True)
class ModelNetwork(Network):
    """Represents observations as latents, steps from latent to latent, and predicts from latents.

    `apply` and `apply_train` predict from the latents of observations. Latents `[B, H, W,
    channels]` are of the dtype of the activations.
    """

    num_action_planes: int = dataclasses.field(kw_only=True)
    has_consistency: bool = dataclasses.field(kw_only=True)

    has_cell_features = True

    def represent(self, variables: Variables, observations: jax.Array) -> jax.Array:
        """Returns the latents of observations `[B, H, W, C]`."""
        return self._map(variables, LatentModel.represent, self._cast(observations))

    def transition(
        self, variables: Variables, latents: jax.Array, action_planes: jax.Array
    ) -> jax.Array:
        """Returns the latents after actions, given as planes `[B, H, W, P]`."""
        return self._map(variables, LatentModel.transition, latents, self._cast(action_planes))

    def predict(self, variables: Variables, latents: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Returns policy logits `[B, A]` and values `[B]` of latents, as `apply` does."""

        def predict(module: LatentModel, latents: jax.Array) -> tuple[jax.Array, jax.Array]:
            outputs = module.predict(latents)
            return outputs.policy_logits, outputs.value

        return self._map(variables, predict, latents)

    def unroll(
        self,
        variables: Variables,
        observations: jax.Array,
        action_planes: jax.Array,
        next_observations: jax.Array | None = None,
    ) -> Unrolled:
        """Predicts from B positions and from the K latents that follow, for learning.

        The gradient into a latent is halved at each step of the dynamics. Observations are `[B, H,
        W, C]`, action planes `[K, B, H, W, P]`. Next observations, `[K, B, H, W, C]` after each
        action, are given where there is the head for consistency.
        """
        module = self._merge(variables)
        first = module.represent(self._cast(observations))

        def step(latents: jax.Array, planes: jax.Array) -> tuple[jax.Array, jax.Array]:
            module = self._merge(variables)
            latents = module.transition(_scale_gradient(latents), self._cast(planes))
            return latents, latents

        _, later = jax.lax.scan(step, first, action_planes)
        outputs = _over_steps(module.predict, jnp.concatenate([first[None], later]))
        if next_observations is None:
            return Unrolled(outputs, None)
        compare = functools.partial(_similarity, module)
        return Unrolled(outputs, _over_steps(compare, later, self._cast(next_observations)))

    def _map(self, variables: Variables, function: Callable[..., Any], *inputs: jax.Array) -> Any:
        """Returns a function of the module and of boards, evaluated as `apply` does."""

        def evaluate(chunk: tuple[jax.Array, ...]) -> Any:
            module = self._merge(variables)
            module.set_attributes(Tower, is_unrolled=self._is_faster_unrolled())
            return function(module, *chunk)

        return self._map_boards(evaluate, inputs)

    @property
    def torso_axes(self) -> TorsoAxes:
        """What the axes of all arrays but the heads' are."""
        return TorsoAxes(
            layers={
                "stem": ("fixed", "units"),
                "turn_stem": ("units and planes", "units"),
                "consistency.first": ("cells of units", "units"),
            }
        )

    def _make_module(self, kernel_init: KernelInitializer, rngs: nnx.Rngs) -> LatentModel:
        assert isinstance(self.config, ResNetConfig), "make_model_network refuses others"
        return LatentModel(
            self.config,
            self.observation_shape,
            self.num_actions,
            self.num_action_planes,
            has_consistency=self.has_consistency,
            kernel_init=kernel_init,
        )


def make_model_network(
    config: NetworkConfig,
    observation_shape: tuple[int, int, int],
    num_actions: int,
    action_planes: int,
    consistency: bool = False,
) -> ModelNetwork:
    """Makes the network of a resnet for the shapes of a game and the planes P of an action.

    With `consistency` a head compares a latent with the position's.

    Raises:
      ValueError: The configuration is not a resnet's.
    """
    if not isinstance(config, ResNetConfig):
        raise ValueError(f"network.name={config.name!r}: must be 'resnet' with a learnt model")
    height, width, planes = observation_shape
    return ModelNetwork(
        config,
        (height, width, planes),
        num_actions,
        num_action_planes=action_planes,
        has_consistency=consistency,
    )


def _over_steps(function: Callable[..., Any], *inputs: jax.Array) -> Any:
    """Returns a function of boards for inputs `[K, B, ...]`: one call for all steps."""
    outputs = function(*(x.reshape(-1, *x.shape[2:]) for x in inputs))
    return jax.tree.map(lambda x: x.reshape(*inputs[0].shape[:2], *x.shape[1:]), outputs)


def _scale_gradient(latents: jax.Array) -> jax.Array:
    """Returns the latents, of whose gradient a share flows back."""
    share = jnp.asarray(_GRADIENT_SHARE, latents.dtype)
    return share * latents + (1 - share) * jax.lax.stop_gradient(latents)


def _similarity(module: LatentModel, latents: jax.Array, observations: jax.Array) -> jax.Array:
    """Returns `[B]`: the cosine between the prediction from latents and the projected positions.

    No gradient flows into the latents of the positions.
    """
    head = module.consistency
    assert head is not None, "next observations are given where there is the head"
    predicted = head.predict(head.project(latents)).astype(jnp.float32)
    target = head.project(jax.lax.stop_gradient(module.represent(observations)))
    target = jax.lax.stop_gradient(target).astype(jnp.float32)
    return (_normalize(predicted) * _normalize(target)).sum(axis=-1)


def _normalize(vectors: jax.Array) -> jax.Array:
    squares = jnp.square(vectors).sum(axis=-1, keepdims=True)
    return vectors * jax.lax.rsqrt(squares + 1e-8)
