"""The slots of a population: states on the devices, and the iteration compiled for all of them."""

import contextlib
import enum
import functools
import gc
import json
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import chex
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh

from azjax.config.stored_config import read_train_config, store_train_config
from azjax.distributed.exchange import (
    broadcast_arrays,
    broadcast_bytes,
    broadcast_text,
    count_processes,
    gather_array,
    gather_texts,
    is_leader,
)
from azjax.networks import Variables
from azjax.runs.storage.checkpoints import from_arrays, to_arrays
from azjax.support.component import structure
from azjax.support.errors import InputError
from azjax.support.machine.devices import make_global_mesh
from azjax.support.machine.memory import free_bytes
from azjax.support.machine.target import target_device, targets_cpu
from azjax.support.program_cache import cache_programs
from azjax.training import (
    Metrics,
    TrainConfig,
    TrainState,
    compile_iteration,
    get_member,
    init_train_state,
    make_game_and_network,
    member_shardings,
    set_member,
    state_shardings,
)

# It also turns off the choice of algorithms by timing, which may differ in the next session.
_DETERMINISTIC: dict[str, str | bool] = {"xla_gpu_deterministic_ops": True}


class Step(enum.IntEnum):
    """What all processes do next."""

    COMPILE = 0
    ITERATE = 1
    READ = 2  # a slot
    WRITE = 3  # a slot
    END = 4  # with an exit status


class Slots:
    """P states on the devices; an iteration updates the states of the acquired slots.

    Of several processes each holds its share of the games. Process 0 calls the methods as if it
    were alone, and tells the others, which call the same ones: see `follow`. Only process
    0 knows which slots are acquired, and the states that are set.
    """

    def __init__(
        self,
        config: TrainConfig,
        num_devices: int,
        num_slots: int,
        stop_requested: Callable[[], bool] = lambda: False,
    ):
        """Compiles the iteration for `num_slots` slots, or for as many as fit into memory.

        The runs may differ in the numbers of the configuration. `num_devices` counts the devices of
        all processes. `stop_requested` tells whether a signal has asked this process to stop.

        Raises:
          InputError: There are fewer devices, or the games cannot be sharded over them.
        """
        if jax.process_count() > 1 and is_leader():
            tell(Step.COMPILE)
            broadcast_text(json.dumps([store_train_config(config), num_devices, num_slots]))
        problem = ""
        try:
            mesh = make_global_mesh(num_devices)
            config.check_devices(num_devices)
        except ValueError as error:
            problem = str(error)
        agree(problem)
        began = time.perf_counter()
        self._program = compile_to_fit(config, mesh, num_slots)
        self.compile_seconds = round(time.perf_counter() - began, 3)
        self.num_slots = self._program.num_slots
        self.num_vmapped = self._program.num_vmapped  # computed at once
        self.is_stop_requested = False  # of any process, from an iteration on
        self._stop_requested = stop_requested
        self._configs = jax.tree.map(lambda _: np.zeros(self.num_slots, np.float32), config)  # [P]
        self._is_acquired = np.zeros(self.num_slots, bool)
        # [P], the share of its budget that a run has done.
        self.progress = np.zeros(self.num_slots, np.float32)
        self._population: TrainState | None = None  # [P, ...], from the first `set_state` on
        self._shapes = jax.eval_shape(
            lambda: to_arrays(init_train_state(config, jax.random.key(0)))
        )
        self._shardings = member_shardings(config, mesh)
        jit = functools.partial(jax.jit, out_shardings=state_shardings(config, mesh))
        self._repeat = jit(_repeat, static_argnums=1)
        self._set = jit(_set, donate_argnums=0)
        self._get = jax.jit(get_member)
        self._get_arrays = jax.jit(
            lambda states, slot: to_arrays(get_member(states, slot)), out_shardings=self._shardings
        )

    def free_slots(self) -> list[int]:
        """Returns the slots that are not acquired."""
        return np.flatnonzero(~self._is_acquired).tolist()

    def acquire(self, slot: int, config: TrainConfig) -> None:
        """Assigns a free slot to a run of this configuration, which then sets its state."""
        jax.tree.map(lambda numbers, x: numbers.__setitem__(slot, x), self._configs, config)
        self._is_acquired[slot] = True

    def release(self, slot: int) -> None:
        """Marks a slot as free."""
        self._is_acquired[slot] = False

    def get_state(self, slot: int) -> TrainState:
        """Returns a copy of the state in a slot; of several processes, in NumPy."""
        tell(Step.READ, slot)
        if jax.process_count() == 1:
            return self._get(self._states, slot)
        return from_arrays(jax.tree.map(gather_array, self._get_arrays(self._states, slot)))

    def get_actor(self, slot: int) -> Variables:
        """Returns a copy of the network that plays in a slot, which every process holds."""
        here = jax.tree.map(lambda x: x.addressable_data(0), self._states.actor)
        return self._get(here, slot)

    def set_state(self, slot: int, state: TrainState | None) -> None:
        """Copies a state into a slot; None in other processes than 0."""
        tell(Step.WRITE, slot)
        arrays = self._place(self._shapes if state is None else to_arrays(state))
        if self._population is None:
            self._population = self._repeat(arrays, self.num_slots)
        else:
            self._population = self._set(self._population, arrays, slot)

    def iterate(self) -> tuple[Metrics, float]:
        """Computes an iteration of every acquired slot; returns [P] metrics and seconds per run."""
        began = time.perf_counter()
        tell(Step.ITERATE)
        configs, is_acquired, progress = broadcast_arrays(
            (self._configs, self._is_acquired, self.progress)
        )
        self._population, metrics = self._program.iterate(
            configs, is_acquired, self._states, progress
        )
        metrics = jax.device_get(metrics)
        self.is_stop_requested |= count_processes(self._stop_requested()) > 0
        seconds = time.perf_counter() - began
        is_vmapped = self.num_vmapped > 1  # then free slots cost as much
        return metrics, seconds / (self.num_slots if is_vmapped else max(1, is_acquired.sum()))

    def _place(self, arrays: TrainState) -> TrainState:
        """Returns the arrays of process 0 on the devices that hold them."""
        if jax.process_count() == 1:
            return jax.device_put(arrays, self._shardings)
        return jax.tree.map(
            lambda x, sharding: jax.make_array_from_callback(x.shape, sharding, x.__getitem__),
            broadcast_arrays(arrays),
            jax.tree.broadcast(self._shardings, arrays),
        )

    @property
    def _states(self) -> TrainState:
        if self._population is None:
            raise RuntimeError("no state has been set")
        return self._population


def tell(step: Step, number: int = 0) -> None:
    """Tells the other processes, if this one leads others, what all do next."""
    if jax.process_count() > 1 and is_leader():
        content = np.array([step, number], np.int32).tobytes()
        broadcast_bytes(content, len(content))


def agree(problem: str) -> None:
    """Raises InputError if a process has a problem; all must call it, with "" if they have none."""
    for number, text in enumerate(gather_texts(problem)):
        if text:
            raise InputError(f"process {number}: {text}" if jax.process_count() > 1 else text)


def _repeat(arrays: TrainState, num_slots: int) -> TrainState:
    """Returns the state [P, ...] in every slot."""
    state = from_arrays(arrays)
    return jax.tree.map(lambda x: jnp.broadcast_to(x, (num_slots, *x.shape)), state)


def _set(states: TrainState, arrays: TrainState, slot: chex.Numeric) -> TrainState:
    return set_member(states, from_arrays(arrays), slot)


@contextlib.contextmanager
def leading() -> Iterator[None]:
    """Ends the other processes at the end of the block, with the exit status of this one."""
    status: int | None = 1
    try:
        yield
        status = 0
    except InputError:
        status = 2
        raise
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
        raise
    except (KeyboardInterrupt, jax.errors.JaxRuntimeError):
        status = None  # the others may be within another step, or gone: they miss this one
        raise
    finally:
        if status is not None:
            tell(Step.END, status)


def follow(stop_requested: Callable[[], bool]) -> int:
    """Takes the steps of process 0, until it ends; returns the exit status.

    Args:
      stop_requested: Tells whether this process was asked to stop; process 0 then saves.
    """
    slots: Slots | None = None
    while True:
        step, number = np.frombuffer(broadcast_bytes(b"", 8), np.int32).tolist()  # as of `tell`
        if step == Step.END:
            return number
        if step == Step.COMPILE:
            with contextlib.suppress(InputError):  # process 0 tells it, and ends
                slots = open_slots(broadcast_text(""), stop_requested)
            continue
        assert slots is not None
        if step == Step.ITERATE:
            slots.iterate()
        elif step == Step.READ:
            slots.get_state(number)
        elif step == Step.WRITE:
            slots.set_state(number, None)


def open_slots(plan: str, stop_requested: Callable[[], bool]) -> Slots:
    """Returns the slots that process 0 has planned, or raises InputError in all processes."""
    stored, num_devices, num_slots = json.loads(plan)
    try:
        config = read_train_config(stored)
        make_game_and_network(config)
    except ValueError as error:
        agree(str(error))
        raise  # not reached: process 0 alone could do without
    return Slots(config, num_devices, num_slots, stop_requested)


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
