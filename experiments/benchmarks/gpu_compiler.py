"""Compiles programs for GPUs that this machine does not have."""

import os
import pathlib
from typing import NamedTuple

import jax
import numpy as np
from jax.experimental import topologies
from jax.sharding import AxisType, Mesh

from azjax.runs.slots import compile_slots
from azjax.support.errors import InputError
from azjax.support.machine.devices import AXIS
from azjax.support.machine.target import compiling_for
from azjax.training import TrainConfig
from benchmarks.gpu_kernels import Region, read_program

_TARGET = pathlib.Path(__file__).with_name("h100.txtpb")  # what XLA prints of an H100 80GB HBM3
_DEVICES_PER_HOST = 8
_INSTALL = "pip install '.[gpu-program]'"


class CompiledProgram(NamedTuple):
    """A program, and the bytes of memory that it takes on each device."""

    program: Region
    argument_bytes: int
    temporary_bytes: int
    copied_bytes: int  # of the results, what does not lie where the arguments lay


def prepare_compiler() -> None:
    """Sets the environment in which XLA compiles for a GPU without one; before JAX is used.

    Autotuning, which measures kernels, is off.
    """
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ["JAX_SKIP_CUDA_CONSTRAINTS_CHECK"] = "1"
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"  # of libraries of the driver that are not there
    flags = os.environ.get("XLA_FLAGS", "")
    os.environ["XLA_FLAGS"] = f"{flags} --xla_gpu_autotune_level=0".strip()
    jax.config.update("jax_platforms", "cpu")


def h100_devices(num_devices: int) -> list[jax.Device]:
    """Returns that many H100s that do not exist, eight on each host.

    Raises:
      InputError: More than one host is not full, or the compiler is not installed.
    """
    if num_devices > _DEVICES_PER_HOST and num_devices % _DEVICES_PER_HOST:
        raise InputError(
            f"devices={num_devices}: must be up to {_DEVICES_PER_HOST}, or a multiple of it for "
            "several hosts"
        )
    num_hosts = max(1, num_devices // _DEVICES_PER_HOST)
    try:
        topology = topologies.get_topology_desc(
            "h100",
            platform="cuda",
            target_config=_TARGET.read_text(encoding="utf-8"),
            topology=f"1x{num_hosts}x{num_devices // num_hosts}",
        )
    except (RuntimeError, ValueError, NotImplementedError) as error:
        raise InputError(f"XLA's compiler for GPUs is missing ({error}): {_INSTALL}") from error
    return list(topology.devices)


def compile_training(
    config: TrainConfig, devices: list[jax.Device], num_members: int
) -> CompiledProgram:
    """Compiles an iteration of training as `azjax train` does: of a run, or of a population.

    Raises:
      ValueError: The configuration is wrong, or its games cannot be sharded over the devices.
    """
    mesh = Mesh(np.array(devices), (AXIS,), axis_types=(AxisType.Auto,))
    with compiling_for(devices[0]):
        return read_compiled(compile_slots(config, mesh, num_members).iterate)


def read_compiled(compiled: jax.stages.Compiled) -> CompiledProgram:
    """Returns what a compiled program is made of."""
    memory, text = compiled.memory_analysis(), compiled.as_text()
    return CompiledProgram(
        read_program(text),
        memory.argument_size_in_bytes,
        memory.temp_size_in_bytes,
        memory.output_size_in_bytes - memory.alias_size_in_bytes,
    )
