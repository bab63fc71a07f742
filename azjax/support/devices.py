"""Devices as a mesh whose one axis is that of games."""

import functools
import os
from collections.abc import Callable
from typing import Any

import jax
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec

AXIS = "games"


def use_virtual_cpu_devices(num_devices: int | None = None) -> None:
    """Makes the CPU backend show one device per core, or as many as given.

    XLA runs a loop's body on one core per device, so this is how a CPU's cores are all used. It
    must be called before the first JAX computation.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    jax.config.update("jax_num_cpu_devices", num_devices or cores or 1)


def make_mesh(num_devices: int) -> Mesh:
    """Returns a mesh of the first devices.

    Raises:
      ValueError: There are fewer.
    """
    devices = jax.devices()
    if not 1 <= num_devices <= len(devices):
        raise ValueError(f"devices={num_devices}: this machine shows {len(devices)}")
    return jax.make_mesh(
        (num_devices,), (AXIS,), axis_types=(AxisType.Auto,), devices=devices[:num_devices]
    )


def replicate(tree: Any, mesh: Mesh) -> Any:
    """Returns the arrays laid in full on every device."""
    return jax.device_put(tree, NamedSharding(mesh, PartitionSpec()))


def spread_over_devices(function: Callable, mesh: Mesh) -> Callable:
    """Returns `function(parameters, *batches)` jitted, every device with its share of the batches.

    The batches' sizes must be multiples of the number of devices.
    """
    by_game = PartitionSpec(AXIS)

    @functools.wraps(function)
    def spread(parameters, *batches):
        mapped = jax.shard_map(
            function,
            mesh=mesh,
            in_specs=(PartitionSpec(), *(by_game for _ in batches)),
            out_specs=by_game,
            check_vma=False,
        )
        return mapped(parameters, *batches)

    return jax.jit(spread)
