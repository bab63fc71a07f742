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

from azjax.networks.blocks import Tower
from azjax.networks.config import NetworkConfig
from azjax.networks.convnet import ConvNet
from azjax.networks.initializers import KernelInitializer, sample_truncated_normal
from azjax.networks.mlp import MLP
from azjax.networks.ops.chunks import map_chunks
from azjax.networks.precision import activation_dtype
from azjax.networks.resnet import ResNet

NETWORK_VERSION = 3  # changes whenever the arrays of a configuration change name, order or shape

_CHUNK, _LEARNING_CHUNK = 8, 32  # boards
_ARCHITECTURES = {"mlp": MLP, "convnet": ConvNet, "resnet": ResNet}


class Variables(NamedTuple):
    """Everything a network has learnt."""

    params: dict[str, Any]  # nested dicts of arrays; what the optimizer updates
    batch_stats: dict[str, Any]  # running means and variances; {} unless norm="batch"


@dataclasses.dataclass(frozen=True)
class Network:
    """Maps observations to policy logits and values; hashable, so it is static under `jit`."""

    config: NetworkConfig
    observation_shape: tuple[int, int, int]
    num_actions: int

    def init(self, key: jax.Array) -> Variables:
        """Draws fresh variables: policies near uniform, values near 0."""
        kernel_init = KernelInitializer(sample_truncated_normal(key, _num_initial_values(self)))
        _, params, batch_stats = nnx.split(_build(self, kernel_init), nnx.Param, nnx.BatchStat)
        return Variables(nnx.to_pure_dict(params), nnx.to_pure_dict(batch_stats))

    def apply(self, variables: Variables, observations: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Evaluates observations, each by itself.

        Args:
          variables: what `init` returned, or training made of it.
          observations: `[B, H, W, C]`, from the mover's view, of any dtype.

        Returns:
          Policy logits `[B, A]` and values `[B]` in (-1, 1) from the mover's view, both float32.
        """

        def evaluate(some: jax.Array) -> tuple[jax.Array, jax.Array]:
            module = _merge(self, variables)
            is_unrolled = self._is_faster_unrolled()
            module.set_attributes(Tower, is_unrolled=is_unrolled, raise_if_not_found=False)
            return module(self._inputs(some))

        size = _CHUNK if self._is_faster_in_chunks() else len(observations)
        return map_chunks(evaluate, observations, size)

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
        outputs = module(self._inputs(observations))
        return outputs, nnx.to_pure_dict(nnx.state(module, nnx.BatchStat))

    def num_microbatches(self, batch_size: int) -> int:
        """Returns in how many equal parts, one after another, a batch is learned from fastest."""
        is_whole = self.config.norm == "batch" or batch_size % _LEARNING_CHUNK
        return 1 if is_whole or not self._is_faster_in_chunks() else batch_size // _LEARNING_CHUNK

    def _is_faster_in_chunks(self) -> bool:
        """Tells whether products are so fast that a core waits for memory, and not for them."""
        return self._convolves_on_cpu(jnp.bfloat16)

    def _is_faster_unrolled(self) -> bool:
        """Tells whether blocks run faster one by one than in a loop, which copies their kernels."""
        return not self._convolves_on_cpu(jnp.float32)

    def _convolves_on_cpu(self, dtype: jnp.dtype) -> bool:
        is_of_boards = self.config.architecture != "mlp"
        is_of_dtype = activation_dtype(self.config.precision) == dtype
        return is_of_boards and is_of_dtype and jax.default_backend() == "cpu"

    def _inputs(self, observations: jax.Array) -> jax.Array:
        return observations.astype(activation_dtype(self.config.precision))


def make_network(
    config: NetworkConfig, observation_shape: tuple[int, int, int], num_actions: int
) -> Network:
    """Makes the network that a configuration describes, for one game's shapes."""
    return Network(config, tuple(observation_shape), num_actions)


def _build(network: Network, kernel_init: KernelInitializer) -> nnx.Module:
    architecture = _ARCHITECTURES[network.config.architecture]
    return architecture(
        network.config, network.observation_shape, network.num_actions, kernel_init=kernel_init
    )


def weight_decay_mask(params: Any) -> Any:
    """Returns a tree like `params`: True for kernels, which decay; False for biases and scales."""
    return jax.tree.map_with_path(lambda path, _: path[-1].key == "kernel", params)


@functools.cache
def _num_initial_values(network: Network) -> int:
    kernel_init = KernelInitializer()
    nnx.eval_shape(lambda: _build(network, kernel_init))
    return kernel_init.num_used


@functools.cache
def _graph(network: Network) -> nnx.GraphDef:
    module = nnx.eval_shape(lambda: _build(network, KernelInitializer()))
    return nnx.split(module, nnx.Param, nnx.BatchStat)[0]


def _merge(network: Network, variables: Variables) -> nnx.Module:
    # Training assigns to the batch statistics, and NumPy arrays would be changed in place.
    batch_stats = jax.tree.map(jnp.asarray, variables.batch_stats)
    return nnx.merge(_graph(network), variables.params, batch_stats)
