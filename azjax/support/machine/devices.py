"""Devices as a mesh with one axis, over which games are sharded."""

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import TypeVar

import jax
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec

from azjax.support.errors import InputError, first_line
from azjax.support.machine.processor import usable_cores

AXIS = "games"

Tree = TypeVar("Tree")


def use_virtual_cpu_devices(num_devices: int | None = None) -> None:
    """Splits the CPU into one device per core, or into as many as given.

    XLA runs the body of a loop on one core per device, so that all cores are used only with one
    device per core that the process may use. Must be called before the first JAX computation.
    """
    jax.config.update("jax_num_cpu_devices", num_devices or usable_cores())


def use_all_cores() -> None:
    """Splits the CPU into one device per core, unless JAX has started or is told its devices."""
    if jax.config.values["jax_num_cpu_devices"] == -1:  # not told
        with contextlib.suppress(RuntimeError):  # it has started
            use_virtual_cpu_devices()


@contextlib.contextmanager
def device_errors() -> Iterator[None]:
    """Converts what JAX raises where it cannot start, for want of a device, into an InputError."""
    try:
        yield
    except (AssertionError, RuntimeError) as error:
        try:
            jax.devices()
        except (AssertionError, RuntimeError) as cause:
            told = f"JAX_PLATFORMS={jax.config.values['jax_platforms']}"
            reason = f" ({first_line(cause).partition(' (set')[0]})" if str(cause) else ""
            hint = "leave it out, or set it to cpu"
            raise InputError(f"{told}: JAX finds no such device{reason}; {hint}") from error
        raise


def make_mesh(num_devices: int) -> Mesh:
    """Returns a mesh of the first devices of this process; raises ValueError if it has fewer."""
    devices = jax.local_devices()
    if not 1 <= num_devices <= len(devices):
        may_split = jax.default_backend() == "cpu" and num_devices > len(devices)
        hint = f"; JAX_NUM_CPU_DEVICES={num_devices} makes as many of its cores" * may_split
        raise ValueError(f"devices={num_devices}: this machine has {len(devices)}{hint}")
    return _mesh_of(devices[:num_devices])


def make_global_mesh(num_devices: int) -> Mesh:
    """Returns a mesh of `num_devices` devices, as many of every process, in their order.

    Raises:
      ValueError: There are fewer, or the processes cannot have equal shares.
    """
    num_processes = jax.process_count()
    if num_processes == 1:
        return make_mesh(num_devices)
    if num_devices % num_processes or not 1 <= num_devices <= jax.device_count():
        raise ValueError(
            f"devices={num_devices}: must be a multiple of the {num_processes} processes, "
            f"which have {jax.device_count()}"
        )
    share = devices_of_process(num_devices)
    return _mesh_of([x for i in range(num_processes) for x in jax.local_devices(i)[:share]])


def devices_of_process(num_devices: int) -> int:
    """Returns how many of a run's devices are of this process."""
    return num_devices // jax.process_count()


def _mesh_of(devices: list[jax.Device]) -> Mesh:
    return jax.make_mesh((len(devices),), (AXIS,), axis_types=(AxisType.Auto,), devices=devices)


def replicate(tree: Tree, mesh: Mesh) -> Tree:
    """Returns the arrays replicated on every device of the mesh."""
    return jax.device_put(tree, NamedSharding(mesh, PartitionSpec()))


def shard_over_devices(function: Callable, mesh: Mesh) -> Callable:
    """Returns `function(parameters, *batches)` jitted, with the batches sharded over the devices.

    The sizes of the batches must be multiples of the number of devices.
    """
    by_game = PartitionSpec(AXIS)

    @functools.wraps(function)
    def sharded(parameters, *batches):
        specs = (PartitionSpec(), *(by_game for _ in batches))
        mapped = jax.shard_map(
            function, mesh=mesh, in_specs=specs, out_specs=by_game, check_vma=False
        )
        return mapped(parameters, *batches)

    return jax.jit(sharded)
