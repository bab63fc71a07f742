"""A network as pure functions of pytrees.

The modules are Flax NNX. Each is split once into its graph definition (static, cached) and its
arrays (nested dicts), so code outside this package deals with functions and arrays only.
"""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from flax import nnx

from azjax.networks.architectures.blocks import Tower
from azjax.networks.config import NetworkConfig
from azjax.networks.ops.chunks import BoardsT, ResultT, map_chunks
from azjax.networks.outputs import Outputs
from azjax.networks.precision import activation_dtype
from azjax.networks.registry import MakeNetwork, build_module, get_network
from azjax.support.machine.target import targets_cpu
from azjax.support.returned import Shaped, check_returned

NETWORK_VERSION = 3  # changes whenever the arrays of a configuration change name, order or shape

_CHUNK_SIZE, _MICROBATCH_SIZE = 8, 32  # boards
_CONVOLUTIONAL = ("convnet", "resnet")  # those of azjax's own convolutions


class Variables(NamedTuple):
    """The arrays of a network."""

    params: dict[str, Any]  # nested dicts of arrays; what the optimizer updates
    batch_stats: dict[str, Any]  # running means and variances; {} without batch normalization


@dataclasses.dataclass(frozen=True)
class Network:
    """Maps observations to policy logits and values; hashable, so it is static under `jit`."""

    config: NetworkConfig
    observation_shape: tuple[int, int, int]
    num_actions: int

    @property
    def is_convolutional(self) -> bool:
        """Whether its time is that of azjax's convolutions."""
        return self.config.architecture in _CONVOLUTIONAL

    def init(self, key: jax.Array) -> Variables:
        """Samples fresh variables, whose policies are near uniform and values near 0."""
        _, params, batch_stats = _split(build_module(self._make, self._arguments, key))
        return Variables(nnx.to_pure_dict(params), nnx.to_pure_dict(batch_stats))

    def apply(self, variables: Variables, observations: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Evaluates observations, each independently of the others.

        Args:
          variables: From `init` or from training.
          observations: `[B, H, W, C]`, from the mover's view, of any dtype.

        Returns:
          Policy logits `[B, A]` and values `[B]` in (-1, 1) from the mover's view, both float32.
        """

        def evaluate(chunk: jax.Array) -> tuple[jax.Array, jax.Array]:
            module = self._merge(variables)
            is_unrolled = self._is_faster_unrolled()
            module.set_attributes(Tower, is_unrolled=is_unrolled, raise_if_not_found=False)
            # Flax's own default are the statistics of the batch.
            module.set_attributes(nnx.BatchNorm, use_running_average=True, raise_if_not_found=False)
            outputs = module(self._cast(chunk))
            self._check(outputs, len(chunk))
            policy_logits, value, *_ = outputs  # the rest is not compiled
            return policy_logits, value

        return self._map_boards(evaluate, observations)

    def apply_train(
        self, variables: Variables, observations: jax.Array, axis_name: str | None = None
    ) -> tuple[Outputs, dict[str, Any]]:
        """Evaluates observations for learning; batch normalization uses the batch's statistics.

        Args:
          variables: From `init` or from training.
          observations: `[B, H, W, C]`, from the mover's view, of any dtype.
          axis_name: The mapped axis that the batch is sharded over, if any. Statistics are then
            those of the whole batch.

        Returns:
          All outputs, and the updated batch statistics, {} without batch normalization.
        """
        module = self._merge(variables)
        module.set_attributes(
            nnx.BatchNorm,
            use_running_average=False,
            axis_name=axis_name,
            raise_if_not_found=False,
        )
        outputs = module(self._cast(observations))
        self._check(outputs, len(observations))
        if not isinstance(outputs, Outputs):  # of a registered network
            policy_logits, value = outputs
            outputs = Outputs(policy_logits, value, value_logits=None, auxiliary={})
        return outputs, nnx.to_pure_dict(nnx.state(module, nnx.BatchStat))

    def num_microbatches(self, batch_size: int) -> int:
        """Returns the number of equal microbatches for which a gradient is computed fastest."""
        is_whole = self.config.norm == "batch" or batch_size % _MICROBATCH_SIZE
        return 1 if is_whole or not self._is_faster_in_chunks() else batch_size // _MICROBATCH_SIZE

    def _map_boards(self, evaluate: Callable[[BoardsT], ResultT], boards: BoardsT) -> ResultT:
        """Returns a function of arrays `[B, ...]`, computed in chunks where that is faster."""
        batch_size = len(jax.tree.leaves(boards)[0])
        return map_chunks(
            evaluate, boards, _CHUNK_SIZE if self._is_faster_in_chunks() else batch_size
        )

    def _merge(self, variables: Variables) -> Any:
        """Returns the module, for one trace: no module may be used in an inner one."""
        # Training assigns to the batch statistics; NumPy arrays would be changed in place.
        batch_stats = jax.tree.map(jnp.asarray, variables.batch_stats)
        return nnx.merge(_graph(self._make, self._arguments), variables.params, batch_stats)

    def _is_faster_in_chunks(self) -> bool:
        """Tells whether chunks run faster: bfloat16 products on CPU are limited by memory."""
        return self._convolves_on_cpu(jnp.bfloat16)

    def _is_faster_unrolled(self) -> bool:
        """Tells whether unrolled blocks run faster than a scan, which copies their kernels."""
        return not self._convolves_on_cpu(jnp.float32)

    def _convolves_on_cpu(self, dtype: jnp.dtype) -> bool:
        is_dtype = activation_dtype(self.config.precision) == dtype
        return self.is_convolutional and is_dtype and targets_cpu()

    def _check(self, outputs: Any, batch: int) -> None:
        """Raises InputError if a registered module returns no logits [B, A] and values [B]."""
        expected = [
            Shaped((batch, self.num_actions), jnp.floating),
            Shaped((batch,), jnp.floating),
        ]
        check_returned(f"result of network {self.config.architecture!r}", outputs, expected)

    def _cast(self, observations: jax.Array) -> jax.Array:
        return observations.astype(activation_dtype(self.config.precision))

    @property
    def _make(self) -> MakeNetwork:
        return get_network(self.config.architecture)

    @property
    def _arguments(self) -> tuple[Any, ...]:
        return self.config, self.observation_shape, self.num_actions


def make_network(
    config: NetworkConfig, observation_shape: tuple[int, int, int], num_actions: int
) -> Network:
    """Makes the network of a configuration for a game's shapes."""
    height, width, planes = observation_shape
    return Network(config, (height, width, planes), num_actions)


def weight_decay_mask(params: dict[str, Any]) -> dict[str, Any]:
    """Returns a tree like `params`: True for kernels, False for biases and scales."""
    return jax.tree.map_with_path(lambda path, _: path[-1].key == "kernel", params)


@functools.cache
def _graph(make: MakeNetwork, arguments: tuple[Any, ...]) -> nnx.GraphDef:
    return _split(nnx.eval_shape(lambda: build_module(make, arguments, jax.random.key(0))))[0]


def _split(module: nnx.Module) -> tuple[nnx.GraphDef, nnx.State, nnx.State]:
    """Returns the graph definition, the parameters and the batch statistics of a module.

    Raises:
      ValueError: It has arrays of another type.
    """
    graph, *states = nnx.split(module, nnx.Param, nnx.BatchStat, ...)
    params, batch_stats, rest = states
    if jax.tree.leaves(rest):
        kinds = {type(x).__name__ for _, x in nnx.to_flat_state(rest)}
        raise ValueError(
            f"network {type(module).__name__} has arrays of type {', '.join(sorted(kinds))}: all "
            "must be nnx.Param or nnx.BatchStat"
        )
    return graph, params, batch_stats
