"""A network as pure functions of pytrees.

The modules are Flax NNX. Each is split once into its graph definition (static, cached) and its
arrays (nested dicts), so code outside this package deals with functions and arrays only.
"""

import dataclasses
import functools
import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from flax import nnx
from optax.contrib import MuonDimensionNumbers

from azjax.networks.config import NetworkConfig, TorsoAxes
from azjax.networks.heads import Head, Heads, Outputs
from azjax.networks.layers import KernelInitializer, Tower, sample_truncated_normal
from azjax.networks.ops.chunks import BoardsT, ResultT, map_chunks
from azjax.networks.precision import activation_dtype
from azjax.support.errors import InputError
from azjax.support.machine.target import targets_cpu

NETWORK_VERSION = 3  # changes whenever the arrays of a configuration change name, order or shape

_CHUNK_SIZE, _MICROBATCH_SIZE = 8, 32  # boards


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
    heads: tuple[Head, ...] = ()

    def __post_init__(self) -> None:
        """Raises ValueError if there are auxiliary heads and no value head."""
        if self.heads and self.config.value_head == "none":
            names = ", ".join(head.name for head in self.heads)
            raise ValueError(
                f"network.value_head='none': must be scalar or wdl with auxiliary heads ({names})"
            )

    @property
    def shapes(self) -> Variables:
        """The shapes and types of its variables."""
        return _form(self).shapes

    @property
    def has_cell_features(self) -> bool:
        """Whether the heads read features of cells, and not of the board."""
        return _has_cell_features(self)

    @property
    def torso_axes(self) -> TorsoAxes | None:
        """What the axes of all arrays but the heads' are; None if it cannot be equivariant."""
        return self.config.torso_axes()

    def init(self, key: jax.Array) -> Variables:
        """Samples fresh variables, whose policies are near uniform and values near 0."""
        kernel_init = KernelInitializer(sample_truncated_normal(key, _form(self).num_values))
        rngs = nnx.Rngs(jax.random.fold_in(key, 1))
        _, params, batch_stats = _split(self._make_module(kernel_init, rngs))
        return Variables(_arrays(params), _arrays(batch_stats))

    def apply(self, variables: Variables, observations: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Evaluates observations `[B, H, W, C]` of any dtype, each independently of the others.

        Returns:
          Policy logits `[B, A]` and values `[B]` in (-1, 1) from the mover's view, both float32.
        """
        # What is not read is not compiled.
        return self._evaluate(variables, observations, lambda x: (x.policy_logits, x.value))

    def apply_all(self, variables: Variables, observations: jax.Array) -> Outputs:
        """Evaluates observations as `apply` does; returns the outputs of all heads."""
        return self._evaluate(variables, observations, lambda outputs: outputs)

    def _evaluate(
        self, variables: Variables, observations: jax.Array, read: Callable[[Outputs], ResultT]
    ) -> ResultT:
        def evaluate(chunk: jax.Array) -> ResultT:
            module = self._merge(variables)
            is_unrolled = self._is_faster_unrolled()
            module.set_attributes(Tower, is_unrolled=is_unrolled, raise_if_not_found=False)
            # Flax's own default are the statistics of the batch.
            module.set_attributes(nnx.BatchNorm, use_running_average=True, raise_if_not_found=False)
            return read(module.heads(module(self._cast(chunk))))

        return self._map_boards(evaluate, observations)

    def apply_train(
        self, variables: Variables, observations: jax.Array, axis_name: str | None = None
    ) -> tuple[Outputs, dict[str, Any]]:
        """Evaluates observations for learning; batch normalization uses the batch's statistics.

        Args:
          variables: From `init` or from training.
          observations: `[B, H, W, C]`, as in `apply`.
          axis_name: The mapped axis that the batch is sharded over, if any. Statistics are then
            taken over the whole batch.

        Returns:
          All outputs, and the updated batch statistics, {} without batch normalization.
        """
        module = self._merge(variables)
        module.set_attributes(
            nnx.BatchNorm, use_running_average=False, axis_name=axis_name, raise_if_not_found=False
        )
        outputs = module.heads(module(self._cast(observations)))
        return outputs, _arrays(nnx.state(module, nnx.BatchStat))

    def num_microbatches(self, batch_size: int) -> int:
        """Returns the number of equal microbatches for which a gradient is computed fastest."""
        is_whole = batch_size % _MICROBATCH_SIZE or not self._is_faster_in_chunks()
        return 1 if is_whole or self.shapes.batch_stats else batch_size // _MICROBATCH_SIZE

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
        arrays = (nnx.restore_int_paths(x) for x in (variables.params, batch_stats))
        return nnx.merge(_form(self).graph, *arrays)

    def _make_module(self, kernel_init: KernelInitializer, rngs: nnx.Rngs) -> nnx.Module:
        """Makes the torso, of whose module the heads become a part."""
        torso = self._make_torso(kernel_init, rngs)
        if hasattr(torso, "heads"):
            raise ValueError(
                f"network {self.config.name}: its torso has an attribute heads, which is the name "
                "of azjax's heads; choose another"
            )
        height, width, _ = self.observation_shape
        torso.heads = Heads(
            self.config,
            height * width,
            self.num_actions,
            self.heads,
            has_cells=self.has_cell_features,
            kernel_init=kernel_init,
        )
        return torso

    def _make_torso(self, kernel_init: KernelInitializer, rngs: nnx.Rngs) -> Any:
        return self.config.make_torso(self.observation_shape, kernel_init=kernel_init, rngs=rngs)

    def _is_faster_in_chunks(self) -> bool:
        """Tells whether chunks run faster: bfloat16 products on CPU are limited by memory."""
        return self._convolves_on_cpu(jnp.bfloat16)

    def _is_faster_unrolled(self) -> bool:
        """Tells whether unrolled blocks run faster than a scan, which copies their kernels."""
        return not self._convolves_on_cpu(jnp.float32)

    def _convolves_on_cpu(self, dtype: jnp.dtype) -> bool:
        return self.config.is_convolutional and self._dtype == dtype and targets_cpu()

    def _cast(self, observations: jax.Array) -> jax.Array:
        return observations.astype(self._dtype)

    @property
    def _dtype(self) -> jnp.dtype:
        return activation_dtype(self.config.precision)


def make_network(
    config: NetworkConfig,
    observation_shape: tuple[int, int, int],
    num_actions: int,
    heads: tuple[Head, ...] = (),
) -> Network:
    """Makes the network of a configuration for a game's shapes, with auxiliary heads.

    Raises:
      ValueError: There are heads and no value head.
    """
    height, width, planes = observation_shape
    return Network(config, (height, width, planes), num_actions, tuple(heads))


def weight_decay_mask(params: dict[str, Any]) -> dict[str, Any]:
    """Returns a tree like `params`: True for kernels, False for biases and scales."""
    return jax.tree.map_with_path(lambda path, _: path[-1].key == "kernel", params)


def kernel_axes(params: dict[str, Any]) -> dict[str, Any]:
    """Returns a tree like `params`: the axes of kernels as matrices, None for biases and scales.

    They are what `optax.contrib.muon` takes as `muon_weight_dimension_numbers`. The outputs of a
    kernel are its last axis, or the last two of Flax's attention, and all axes before are its
    inputs, except the axis of the blocks of a tower.
    """

    def axes_of(path: jax.tree_util.KeyPath, array: jax.Array) -> MuonDimensionNumbers | None:
        names = [key.key for key in path]
        if names[-1] != "kernel":
            return None
        axes = range(_is_stacked(names), array.ndim)
        is_attention = len(axes) == 3 and not {"query", "key", "value"}.isdisjoint(names[-2:])
        num_inputs = len(axes) - (2 if is_attention else 1)
        return MuonDimensionNumbers(tuple(axes[:num_inputs]), tuple(axes[num_inputs:]))

    return jax.tree.map_with_path(axes_of, params)


def _is_stacked(path: list[str]) -> bool:
    """Tells whether an array is of all blocks of a tower, and not of one in a list of blocks."""
    return any(a == "blocks" and not b.isdigit() for a, b in itertools.pairwise(path))


class _Form(NamedTuple):
    """What is known of a network before its arrays are."""

    graph: nnx.GraphDef
    shapes: Variables
    num_values: int  # of `KernelInitializer`


@functools.cache
def _form(network: Network) -> _Form:
    counting = KernelInitializer()
    module = nnx.eval_shape(lambda: network._make_module(counting, nnx.Rngs(0)))
    graph, params, batch_stats = _split(module)
    return _Form(graph, Variables(_arrays(params), _arrays(batch_stats)), counting.num_used)


@functools.cache
def _has_cell_features(network: Network) -> bool:
    """Tells what the features of a torso are.

    Raises:
      InputError: They are features neither of cells nor of the board.
    """

    def evaluate(observations: jax.Array) -> Any:
        return network._make_torso(KernelInitializer(), nnx.Rngs(0))(observations)

    (height, width, _), channels = network.observation_shape, network.config.channels
    batch = 2
    boards = jax.ShapeDtypeStruct((batch, *network.observation_shape), jnp.float32)
    features = jax.eval_shape(evaluate, boards)
    shape = getattr(features, "shape", None)
    if shape not in ((batch, height, width, channels), (batch, channels)):
        found = type(features).__name__ if shape is None else list(shape)
        raise InputError(
            f"network {network.config.name}: its torso maps {list(boards.shape)} to {found}: must "
            f"be {[batch, height, width, channels]} or {[batch, channels]}, as channels={channels}"
        )
    return len(shape) == 4


def _arrays(state: Any) -> dict[str, Any]:
    """Returns nested dicts of arrays; their keys are texts, also in lists of modules."""

    def with_text_keys(tree: Any) -> Any:
        if not isinstance(tree, dict):
            return tree
        return {str(key): with_text_keys(value) for key, value in tree.items()}

    return with_text_keys(nnx.to_pure_dict(state))


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
