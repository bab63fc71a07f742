"""The slots of a population: states on the device, as many as fit into memory, one for each run."""

import contextlib
import functools
import gc
import time
from collections.abc import Iterator
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh

from azjax.networks import Variables
from azjax.support.errors import input_errors
from azjax.support.machine.devices import make_mesh, replicate
from azjax.support.machine.memory import free_bytes
from azjax.support.machine.target import targets_cpu
from azjax.training import (
    Hyperparameters,
    Metrics,
    TrainConfig,
    TrainState,
    compile_iteration,
    get_member,
    init_train_state,
    set_member,
    state_shardings,
)


class Slots:
    """P states on the device; an iteration updates those of the acquired slots."""

    def __init__(self, config: TrainConfig, num_devices: int, num_slots: int):
        """Compiles the iteration for `num_slots` slots, or for as many as fit into memory.

        Raises:
          InputError: There are fewer devices, or the games cannot be sharded over them.
        """
        with input_errors():
            mesh = make_mesh(num_devices)
            config.check_devices(num_devices)
        self._mesh = mesh
        self._program = _compile_to_fit(config, mesh, num_slots)
        self._population: TrainState | None = None  # [P, ...], from the first `set_state` on
        self._hyperparameters = jax.tree.map(
            lambda _: np.zeros(self.num_slots, np.float32), Hyperparameters()
        )
        self._is_acquired = np.zeros(self.num_slots, bool)
        self._budget_shares = np.zeros(self.num_slots, np.float32)
        jit = functools.partial(jax.jit, out_shardings=state_shardings(mesh))
        self._repeat = jit(functools.partial(_repeat, num_slots=self.num_slots))
        self._set = jit(set_member, donate_argnums=0)
        self._get = jax.jit(get_member)

    @property
    def num_slots(self) -> int:
        """P."""
        return self._program.num_slots

    @property
    def num_vmapped(self) -> int:
        """How many of them an iteration computes at once; its seconds depend on it."""
        return self._program.num_vmapped

    @property
    def compile_seconds(self) -> float:
        """Seconds that compiling the iteration took."""
        return self._program.compile_seconds

    def free_slots(self) -> list[int]:
        """Returns the slots that are not acquired."""
        return np.flatnonzero(~self._is_acquired).tolist()

    def acquire(self, slot: int, hyperparameters: Hyperparameters) -> None:
        """Assigns a free slot to a run with these hyperparameters, which then sets its state."""

        def write(numbers, number):
            numbers[slot] = number

        jax.tree.map(write, self._hyperparameters, hyperparameters)
        self._is_acquired[slot] = True

    def release(self, slot: int) -> None:
        """Marks a slot as free."""
        self._is_acquired[slot] = False

    def get_state(self, slot: int) -> TrainState:
        """Returns a copy of the state in a slot."""
        return self._get(self._states, slot)

    def acting_variables(self, slot: int) -> Variables:
        """Returns a copy of the network that plays in a slot."""
        return self._get(self._states.acting, slot)

    def set_state(self, slot: int, state: TrainState) -> None:
        """Copies a state into a slot."""
        state = replicate(state, self._mesh)
        if self._population is None:
            self._population = self._repeat(state)
        else:
            self._population = self._set(self._population, state, slot)

    def set_budget_share(self, slot: int, share: float) -> None:
        """Sets the share of its budget that a run has done at the start of its next iteration."""
        self._budget_shares[slot] = share

    def iterate(self) -> tuple[Metrics, float]:
        """Computes an iteration of every acquired slot; returns [P] metrics and seconds per run."""
        began = time.perf_counter()
        self._population, metrics = self._program.iterate(
            self._hyperparameters, self._is_acquired, self._states, self._budget_shares
        )
        metrics = jax.device_get(metrics)
        return metrics, (time.perf_counter() - began) / self._num_computed()

    @property
    def _states(self) -> TrainState:
        if self._population is None:
            raise RuntimeError("no state has been set")
        return self._population

    def _num_computed(self) -> int:
        """Returns how many slots an iteration computes: vmapped, free slots cost as much."""
        is_vmapped = self.num_vmapped > 1
        return self.num_slots if is_vmapped else int(self._is_acquired.sum())


class Program(NamedTuple):
    """A compiled iteration of P slots."""

    iterate: jax.stages.Compiled
    num_slots: int
    num_vmapped: int
    compile_seconds: float


def compile_slots(config: TrainConfig, mesh: Mesh, num_slots: int) -> Program:
    """Compiles the iteration of `num_slots` slots."""
    num_vmapped = 1 if targets_cpu() else num_slots
    began = time.perf_counter()
    with _no_garbage_collection():
        lowered = _lower(config, mesh, num_slots, num_vmapped)
    compiled = lowered.compile()
    return Program(compiled, num_slots, num_vmapped, round(time.perf_counter() - began, 3))


def _lower(config: TrainConfig, mesh: Mesh, num_slots: int, num_vmapped: int) -> jax.stages.Lowered:
    hyperparameters = jax.tree.map(
        lambda _: jax.ShapeDtypeStruct((num_slots,), jnp.float32), Hyperparameters()
    )
    is_active = jax.ShapeDtypeStruct((num_slots,), bool)
    budget_shares = jax.ShapeDtypeStruct((num_slots,), jnp.float32)
    state = jax.eval_shape(
        functools.partial(init_train_state, config), Hyperparameters(), jax.random.key(0)
    )
    states = jax.tree.map(lambda x: jax.ShapeDtypeStruct((num_slots, *x.shape), x.dtype), state)
    iterate = compile_iteration(config, mesh, num_vmapped)
    return iterate.lower(hyperparameters, is_active, states, budget_shares)


@contextlib.contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Disables garbage collection: it is slow while tracing, whose many objects nearly all stay."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _compile_to_fit(config: TrainConfig, mesh: Mesh, num_slots: int) -> Program:
    program = compile_slots(config, mesh, num_slots)
    num_fitting = _num_fitting(program, mesh)
    return program if num_fitting >= num_slots else compile_slots(config, mesh, num_fitting)


def _num_fitting(program: Program, mesh: Mesh) -> int:
    """Returns how many slots fit into memory, from the needs of the compiled program."""
    memory = program.iterate.memory_analysis()
    if memory is None:  # the backend does not report it
        return program.num_slots
    held = memory.argument_size_in_bytes + memory.output_size_in_bytes - memory.alias_size_in_bytes
    needed = held + memory.temp_size_in_bytes
    return max(1, program.num_slots * free_bytes(mesh) // needed)


def _repeat(state: TrainState, num_slots: int) -> TrainState:
    """Returns the state [P, ...] in every slot."""
    return jax.tree.map(lambda x: jnp.broadcast_to(x, (num_slots, *x.shape)), state)
