"""The compiled iteration of a population, of as many runs as fit into memory."""

import functools
import gc
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax.sharding import Mesh

from azjax.distributed.exchange import gather_texts
from azjax.support.component import structure
from azjax.support.machine.memory import free_bytes
from azjax.support.machine.target import target_device, targets_cpu
from azjax.support.program_cache import cache_programs
from azjax.training import TrainConfig, compile_iteration, init_train_state

# It also turns off the choice of algorithms by timing, which may differ in the next session.
_DETERMINISTIC: dict[str, str | bool] = {"xla_gpu_deterministic_ops": True}


class Program(NamedTuple):
    """A compiled iteration of P slots."""

    iterate: jax.stages.Compiled
    num_slots: int
    num_vmapped: int


def compile_slots(config: TrainConfig, mesh: Mesh, num_slots: int) -> Program:
    """Compiles the iteration of `num_slots` slots, or takes the one that this process has."""
    num_vmapped = 1 if targets_cpu() else num_slots
    compiled = _compile(structure(config), mesh, num_slots, num_vmapped, target_device())
    return Program(compiled, num_slots, num_vmapped)


@functools.partial(cache_programs, most=8)
def _compile(
    options: jax.tree_util.PyTreeDef,
    mesh: Mesh,
    num_slots: int,
    num_vmapped: int,
    target: jax.Device,
) -> jax.stages.Compiled:
    """Compiles the iteration for the target, which tracing reads from its context."""
    del target
    number = jax.ShapeDtypeStruct((), jnp.float32)
    config: TrainConfig = options.unflatten([number] * options.num_leaves)
    was_enabled = gc.isenabled()
    gc.disable()  # it is slow while tracing, whose many objects nearly all stay
    try:
        lowered = lower_slots(config, mesh, num_slots, num_vmapped)
    finally:
        if was_enabled:
            gc.enable()
    return lowered.compile(compiler_options=_DETERMINISTIC if config.deterministic else None)


def lower_slots(
    config: TrainConfig, mesh: Mesh, num_slots: int, num_vmapped: int
) -> jax.stages.Lowered:
    """Returns the iteration of `num_slots` slots before XLA compiles it."""
    configs = jax.tree.map(lambda _: jax.ShapeDtypeStruct((num_slots,), jnp.float32), config)
    is_active = jax.ShapeDtypeStruct((num_slots,), bool)
    progress = jax.ShapeDtypeStruct((num_slots,), jnp.float32)
    state = jax.eval_shape(init_train_state, config, jax.random.key(0))
    states = jax.tree.map(lambda x: jax.ShapeDtypeStruct((num_slots, *x.shape), x.dtype), state)
    iterate = compile_iteration(config, mesh, num_vmapped)
    return iterate.lower(configs, is_active, states, progress)


def compile_to_fit(config: TrainConfig, mesh: Mesh, num_slots: int) -> Program:
    """Compiles the iteration of `num_slots` slots, or of as many as fit into every machine."""
    program = compile_slots(config, mesh, num_slots)
    num_fitting = min(map(int, gather_texts(str(_num_fitting(program, mesh)))))
    return program if num_fitting >= num_slots else compile_slots(config, mesh, num_fitting)


def _num_fitting(program: Program, mesh: Mesh) -> int:
    """Returns how many slots fit into memory, from the needs of the compiled program."""
    memory = program.iterate.memory_analysis()
    if memory is None:  # the backend does not report it
        return program.num_slots
    held = memory.argument_size_in_bytes + memory.output_size_in_bytes - memory.alias_size_in_bytes
    needed = held + memory.temp_size_in_bytes
    return max(1, program.num_slots * free_bytes(mesh) // needed)
