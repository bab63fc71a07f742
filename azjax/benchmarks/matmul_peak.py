"""The ceiling: what the machine reaches in its largest matrix product, and who comes how near."""

import functools

import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec

from azjax.benchmarks.timing import best_seconds
from azjax.networks import Network
from azjax.support.devices import AXIS, make_mesh

_SIDES = {"cpu": 2048}
_SIDE = 8192  # of an accelerator
_REPEATS = 5


def matmul_peak_flops(dtype: jnp.dtype) -> float:
    """Returns the most operations a second, by products of matrices on all devices at once.

    Args:
      dtype: Of the matrices; sums are float32.
    """
    devices = jax.devices()
    side = _SIDES.get(devices[0].platform, _SIDE)
    product = jax.shard_map(
        functools.partial(jnp.matmul, preferred_element_type=jnp.float32),
        mesh=make_mesh(len(devices)),
        in_specs=(PartitionSpec(AXIS), PartitionSpec()),
        out_specs=PartitionSpec(AXIS),
    )
    left = jax.random.normal(jax.random.key(0), (len(devices) * side, side), dtype)
    right = jax.random.normal(jax.random.key(1), (side, side), dtype)
    multiply = jax.jit(product)
    return 2 * left.size * side / best_seconds(lambda: multiply(left, right), _REPEATS)


def evaluation_flops(network: Network) -> int:
    """Returns the float operations of one evaluation, as its definition has them.

    A convolution counts as its sums and products over the board, however it is computed: what
    Winograd's saves shows as a higher share of the ceiling.
    """
    height, width, _ = network.observation_shape
    parameters = jax.eval_shape(network.init, jax.random.key(0)).params
    total = 0
    for path, x in jax.tree.leaves_with_path(parameters):
        if path[-1].key == "kernel":
            is_convolution = x.shape[-3:-1] == (3, 3)
            is_on_every_cell = is_convolution or "planes" in jax.tree_util.keystr(path)
            total += 2 * x.size * (height * width if is_on_every_cell else 1)
    return total


def update_flops(network: Network, batch_size: int) -> int:
    """Returns those of a gradient update: of each position forwards, and twice that backwards."""
    return 3 * evaluation_flops(network) * batch_size
