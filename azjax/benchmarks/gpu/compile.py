"""Compiles training for GPUs that are not there."""

from typing import NamedTuple

import jax
import numpy as np
from jax.sharding import AxisType, Mesh

from azjax.benchmarks.gpu.hlo import parse_module
from azjax.benchmarks.gpu.loops import Region, read_program
from azjax.benchmarks.gpu.memory import Memory
from azjax.runs.program import compile_slots
from azjax.support.machine.devices import AXIS
from azjax.support.machine.target import compiling_for
from azjax.training import TrainConfig


class CompiledProgram(NamedTuple):
    """A program, and the memory that it takes."""

    program: Region
    memory: Memory


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
    memory = compiled.memory_analysis()
    text = compiled.as_text()
    assert memory is not None, "the compiler reports it"
    assert text is not None, "the compiler reports it"
    taken = Memory(
        memory.argument_size_in_bytes,
        memory.temp_size_in_bytes,
        memory.output_size_in_bytes - memory.alias_size_in_bytes,
    )
    return CompiledProgram(read_program(parse_module(text)), taken)
