"""The places of a population on the device: as many as memory has room for, each for one member."""

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
from azjax.support.devices import make_mesh, replicate
from azjax.support.errors import input_errors
from azjax.support.memory import free_bytes
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
    """P states on the device; a place's state is iterated for as long as a member has taken it."""

    def __init__(self, config: TrainConfig, num_devices: int, num_slots: int):
        """Compiles the iteration for that many places, or as many as fit into memory.

        Raises:
          InputError: There are not so many devices, or the games cannot be laid over them.
        """
        with input_errors():
            mesh = make_mesh(num_devices)
            config.check_devices(num_devices)
        self._mesh = mesh
        self._program = _compile_to_fit(config, mesh, num_slots)
        self._states = None  # until the first member brings one
        self._hyperparameters = jax.tree.map(
            lambda _: np.zeros(self.num_slots, np.float32), Hyperparameters()
        )
        self._is_taken = np.zeros(self.num_slots, bool)
        lay = functools.partial(jax.jit, out_shardings=state_shardings(mesh))
        self._fill = lay(functools.partial(_fill, num_slots=self.num_slots))
        self._put = lay(set_member, donate_argnums=0)
        self._take = jax.jit(get_member)

    @property
    def num_slots(self) -> int:
        """P."""
        return self._program.num_slots

    @property
    def compile_seconds(self) -> float:
        """Seconds that compiling the iteration took."""
        return self._program.compile_seconds

    def free(self) -> list[int]:
        """Returns the places that nobody has taken."""
        return np.flatnonzero(~self._is_taken).tolist()

    def take(self, slot: int, hyperparameters: Hyperparameters) -> None:
        """Gives a free place to a member, who then puts a state there."""

        def write(numbers, number):
            numbers[slot] = number

        jax.tree.map(write, self._hyperparameters, hyperparameters)
        self._is_taken[slot] = True

    def leave(self, slot: int) -> None:
        """Makes a place free again."""
        self._is_taken[slot] = False

    def state(self, slot: int) -> TrainState:
        """Returns a copy of the state in a place."""
        return self._take(self._states, slot)

    def acting(self, slot: int) -> Variables:
        """Returns a copy of the network that plays in a place."""
        return self._take(self._states.acting, slot)

    def put(self, slot: int, state: TrainState) -> None:
        """Puts a state into a place."""
        state = replicate(state, self._mesh)
        if self._states is None:
            self._states = self._fill(state)
        else:
            self._states = self._put(self._states, state, slot)

    def iterate(self) -> tuple[Metrics, float]:
        """Takes every member through an iteration; returns [P] metrics and each one's seconds."""
        began = time.perf_counter()
        self._states, metrics = self._program.iterate(
            self._hyperparameters, self._is_taken, self._states
        )
        metrics = jax.device_get(metrics)
        return metrics, (time.perf_counter() - began) / self._num_computed()

    def _num_computed(self) -> int:
        """Returns how many members' worth of work an iteration is: vmapped, a free place is one."""
        is_vmapped = self._program.num_vmapped > 1
        return self.num_slots if is_vmapped else int(self._is_taken.sum())


class Program(NamedTuple):
    """A compiled iteration of P places."""

    iterate: jax.stages.Compiled
    num_slots: int
    num_vmapped: int
    compile_seconds: float


def compile_slots(config: TrainConfig, mesh: Mesh, num_slots: int) -> Program:
    """Compiles the iteration for that many places."""
    num_vmapped = 1 if jax.default_backend() == "cpu" else num_slots
    began = time.perf_counter()
    with _no_garbage_collection():
        lowered = _lower(config, mesh, num_slots, num_vmapped)
    compiled = lowered.compile()
    return Program(compiled, num_slots, num_vmapped, round(time.perf_counter() - began, 3))


def _lower(config: TrainConfig, mesh: Mesh, num_slots: int, num_vmapped: int) -> jax.stages.Lowered:
    numbers = jax.tree.map(
        lambda _: jax.ShapeDtypeStruct((num_slots,), jnp.float32), Hyperparameters()
    )
    is_active = jax.ShapeDtypeStruct((num_slots,), bool)
    state = jax.eval_shape(
        functools.partial(init_train_state, config), Hyperparameters(), jax.random.key(0)
    )
    states = jax.tree.map(lambda x: jax.ShapeDtypeStruct((num_slots, *x.shape), x.dtype), state)
    return compile_iteration(config, mesh, num_vmapped).lower(numbers, is_active, states)


@contextlib.contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Keeps Python from looking for garbage: of the many objects of a trace nearly all stay."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _compile_to_fit(config: TrainConfig, mesh: Mesh, num_slots: int) -> Program:
    program = compile_slots(config, mesh, num_slots)
    fitting = _num_fitting(program, mesh)
    return program if fitting >= num_slots else compile_slots(config, mesh, fitting)


def _num_fitting(program: Program, mesh: Mesh) -> int:
    """Returns how many places memory has room for, by what the program needs for its own."""
    memory = program.iterate.memory_analysis()
    held = memory.argument_size_in_bytes + memory.output_size_in_bytes - memory.alias_size_in_bytes
    needed = held + memory.temp_size_in_bytes
    return max(1, program.num_slots * free_bytes(mesh) // needed)


def _fill(state: TrainState, num_slots: int) -> TrainState:
    """Returns the state in every place."""
    return jax.tree.map(lambda x: jnp.broadcast_to(x, (num_slots, *x.shape)), state)
