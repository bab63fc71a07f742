"""The matmul peak of the machine, and the float operations of a network."""

import functools

import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec

from azjax.benchmarks.timing import best_seconds
from azjax.networks import Network
from azjax.support.machine.devices import AXIS, make_mesh

_SIDES = {"cpu": 2048}  # of the square matrices, by platform
_ACCELERATOR_SIDE = 8192
_REPEATS = 5


def matmul_peak_flops(dtype: jnp.dtype) -> float:
    """Returns the float operations per second of large matrix products on all devices at once.

    Args:
      dtype: The type of the matrices; products are accumulated in float32.
    """
    devices = jax.devices()
    side = _SIDES.get(devices[0].platform, _ACCELERATOR_SIDE)
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
    """Returns the float operations of one network evaluation, by the definition of its layers.

    A convolution counts its multiplications and additions at each cell, however it is computed.
    The operations that Winograd's method saves therefore show as a higher share of the peak.
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
    """Returns the float operations of an update; the backward pass counts two forward passes."""
    return 3 * evaluation_flops(network) * batch_size
