"""A network as pure functions of plain pytrees.

Flax NNX describes the modules. Each description is split once into its graph (static, cached) and
its arrays (nested dicts), so that everything outside this package sees functions and arrays only.
"""

import dataclasses
import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from flax import nnx

from azjax.networks.config import NetworkConfig
from azjax.networks.convnet import ConvNet
from azjax.networks.mlp import MLP
from azjax.networks.resnet import ResNet

_ARCHITECTURES = {"mlp": MLP, "convnet": ConvNet, "resnet": ResNet}


class Variables(NamedTuple):
    """Everything a network has learnt."""

    parameters: dict[str, Any]  # nested dicts of arrays; what the optimiser updates
    statistics: dict[str, Any]  # running means and variances; {} unless norm="batch"


@dataclasses.dataclass(frozen=True)
class Network:
    """Maps observations to policy logits and values; hashable, so it is static under `jit`."""

    config: NetworkConfig
    observation_shape: tuple[int, int, int]
    num_actions: int

    def init(self, key: jax.Array) -> Variables:
        """Draws fresh variables: policies near uniform, values near 0."""
        _, parameters, statistics = nnx.split(_build(self, key), nnx.Param, nnx.BatchStat)
        return Variables(nnx.to_pure_dict(parameters), nnx.to_pure_dict(statistics))

    def apply(self, variables: Variables, observations: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Evaluates observations, each by itself.

        Args:
          variables: what `init` returned, or training made of it.
          observations: `[B, H, W, C]`, from the mover's view, of any dtype.

        Returns:
          Policy logits `[B, A]` and values `[B]` in (-1, 1) from the mover's view, both float32.
        """
        return _merge(self, variables)(observations.astype(jnp.float32))

    def apply_train(
        self, variables: Variables, observations: jax.Array, axis_name: str | None = None
    ) -> tuple[tuple[jax.Array, jax.Array], dict[str, Any]]:
        """Evaluates observations for learning, normalised by their own batch's statistics.

        Args:
          variables: what `init` returned, or training made of it.
          observations: `[B, H, W, C]`, from the mover's view, of any dtype.
          axis_name: the mapped axis that the batch is split over, if it is; the statistics are
            then those of the whole batch.

        Returns:
          What `apply` returns, and the updated statistics ({} unless norm="batch").
        """
        module = _merge(self, variables)
        if self.config.norm == "batch":
            module.set_attributes(nnx.BatchNorm, use_running_average=False, axis_name=axis_name)
        outputs = module(observations.astype(jnp.float32))
        return outputs, nnx.to_pure_dict(nnx.state(module, nnx.BatchStat))


def make_network(
    config: NetworkConfig, observation_shape: tuple[int, int, int], num_actions: int
) -> Network:
    """Makes the network that a configuration describes, for one game's shapes."""
    return Network(config, tuple(observation_shape), num_actions)


def _build(network: Network, key: jax.Array) -> nnx.Module:
    architecture = _ARCHITECTURES[network.config.architecture]
    return architecture(
        network.config, network.observation_shape, network.num_actions, rngs=nnx.Rngs(key)
    )


@functools.cache
def _graph(network: Network) -> nnx.GraphDef:
    module = nnx.eval_shape(lambda: _build(network, jax.random.key(0)))
    return nnx.split(module, nnx.Param, nnx.BatchStat)[0]


def _merge(network: Network, variables: Variables) -> nnx.Module:
    # Training assigns to the statistics, and NumPy arrays would be changed in place.
    statistics = jax.tree.map(jnp.asarray, variables.statistics)
    return nnx.merge(_graph(network), variables.parameters, statistics)
