"""A network as pure functions of pytrees.

The modules are Flax NNX. Each is split once into its graph definition (static, cached) and its
arrays (nested dicts), so code outside this package deals with functions and arrays only.
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

_CHUNK_SIZE, _MICROBATCH_SIZE = 8, 32  # boards
_ARCHITECTURES = {"mlp": MLP, "convnet": ConvNet, "resnet": ResNet}


class Variables(NamedTuple):
    """The arrays of a network."""

    params: dict[str, Any]  # nested dicts of arrays; what the optimizer updates
    batch_stats: dict[str, Any]  # running means and variances; {} unless norm="batch"


@dataclasses.dataclass(frozen=True)
class Network:
    """Maps observations to policy logits and values; hashable, so it is static under `jit`."""

    config: NetworkConfig
    observation_shape: tuple[int, int, int]
    num_actions: int

    def init(self, key: jax.Array) -> Variables:
        """Samples fresh variables, whose policies are near uniform and values near 0."""
        kernel_init = KernelInitializer(sample_truncated_normal(key, _num_initial_values(self)))
        _, *arrays = nnx.split(_build(self, kernel_init), nnx.Param, nnx.BatchStat)
        return Variables(*map(nnx.to_pure_dict, arrays))

    def apply(self, variables: Variables, observations: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Evaluates observations, each independently of the others.

        Args:
          variables: From `init` or from training.
          observations: `[B, H, W, C]`, from the mover's view, of any dtype.

        Returns:
          Policy logits `[B, A]` and values `[B]` in (-1, 1) from the mover's view, both float32.
        """

        def evaluate(chunk: jax.Array) -> tuple[jax.Array, jax.Array]:
            module = _merge(self, variables)
            is_unrolled = self._is_faster_unrolled()
            module.set_attributes(Tower, is_unrolled=is_unrolled, raise_if_not_found=False)
            return module(self._cast(chunk))

        chunk_size = _CHUNK_SIZE if self._is_faster_in_chunks() else len(observations)
        return map_chunks(evaluate, observations, chunk_size)

    def apply_train(
        self, variables: Variables, observations: jax.Array, axis_name: str | None = None
    ) -> tuple[tuple[jax.Array, jax.Array], dict[str, Any]]:
        """Evaluates observations for learning, with batch statistics where norm="batch".

        Args:
          variables: From `init` or from training.
          observations: `[B, H, W, C]`, from the mover's view, of any dtype.
          axis_name: The mapped axis that the batch is sharded over, if any. Statistics are then
            those of the whole batch.

        Returns:
          What `apply` returns, and the updated batch statistics, {} unless norm="batch".
        """
        module = _merge(self, variables)
        if self.config.norm == "batch":
            module.set_attributes(nnx.BatchNorm, use_running_average=False, axis_name=axis_name)
        outputs = module(self._cast(observations))
        return outputs, nnx.to_pure_dict(nnx.state(module, nnx.BatchStat))

    def num_microbatches(self, batch_size: int) -> int:
        """Returns the number of equal microbatches for which a gradient is computed fastest."""
        is_whole = self.config.norm == "batch" or batch_size % _MICROBATCH_SIZE
        return 1 if is_whole or not self._is_faster_in_chunks() else batch_size // _MICROBATCH_SIZE

    def _is_faster_in_chunks(self) -> bool:
        """Tells whether chunks run faster: bfloat16 products on CPU are limited by memory."""
        return self._convolves_on_cpu(jnp.bfloat16)

    def _is_faster_unrolled(self) -> bool:
        """Tells whether unrolled blocks run faster than a scan, which copies their kernels."""
        return not self._convolves_on_cpu(jnp.float32)

    def _convolves_on_cpu(self, dtype: jnp.dtype) -> bool:
        is_convolutional = self.config.architecture != "mlp"
        is_dtype = activation_dtype(self.config.precision) == dtype
        return is_convolutional and is_dtype and jax.default_backend() == "cpu"

    def _cast(self, observations: jax.Array) -> jax.Array:
        return observations.astype(activation_dtype(self.config.precision))


def make_network(
    config: NetworkConfig, observation_shape: tuple[int, int, int], num_actions: int
) -> Network:
    """Makes the network of a configuration for a game's shapes."""
    height, width, planes = observation_shape
    return Network(config, (height, width, planes), num_actions)


def _build(network: Network, kernel_init: KernelInitializer) -> nnx.Module:
    architecture = _ARCHITECTURES[network.config.architecture]
    return architecture(
        network.config, network.observation_shape, network.num_actions, kernel_init=kernel_init
    )


def weight_decay_mask(params: dict[str, Any]) -> dict[str, Any]:
    """Returns a tree like `params`: True for kernels, False for biases and scales."""
    return jax.tree.map_with_path(lambda path, _: path[-1].key == "kernel", params)


@functools.cache
def _num_initial_values(network: Network) -> int:
    """Returns how many sampled values the initial kernels take."""
    kernel_init = KernelInitializer()
    nnx.eval_shape(lambda: _build(network, kernel_init))
    return kernel_init.num_used


@functools.cache
def _graph(network: Network) -> nnx.GraphDef:
    module = nnx.eval_shape(lambda: _build(network, KernelInitializer()))
    return nnx.split(module, nnx.Param, nnx.BatchStat)[0]


def _merge(network: Network, variables: Variables) -> nnx.Module:
    # Training assigns to the batch statistics; NumPy arrays would be changed in place.
    batch_stats = jax.tree.map(jnp.asarray, variables.batch_stats)
    return nnx.merge(_graph(network), variables.params, batch_stats)
