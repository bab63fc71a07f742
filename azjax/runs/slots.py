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
    init_train_state,
    put_member,
    state_shardings,
    take_member,
)


class Places:
    """P states on the device; a place's state is iterated for as long as a member has taken it."""

    def __init__(self, config: TrainConfig, num_devices: int, num_places: int):
        """Compiles the iteration for that many places, or as many as fit into memory.

        Raises:
          InputError: There are not so many devices, or the games cannot be laid over them.
        """
        with input_errors():
            mesh = make_mesh(num_devices)
            config.check_devices(num_devices)
        self._mesh = mesh
        self._program = _compile_to_fit(config, mesh, num_places)
        self._states = None  # until the first member brings one
        self._hyperparameters = jax.tree.map(
            lambda _: np.zeros(self.num_places, np.float32), Hyperparameters()
        )
        self._is_taken = np.zeros(self.num_places, bool)
        lay = functools.partial(jax.jit, out_shardings=state_shardings(mesh))
        self._fill = lay(functools.partial(_fill, num_places=self.num_places))
        self._put = lay(put_member, donate_argnums=0)
        self._take = jax.jit(take_member)

    @property
    def num_places(self) -> int:
        """P."""
        return self._program.num_places

    @property
    def compile_seconds(self) -> float:
        """Seconds that compiling the iteration took."""
        return self._program.compile_seconds

    def free(self) -> list[int]:
        """Returns the places that nobody has taken."""
        return np.flatnonzero(~self._is_taken).tolist()

    def take(self, place: int, hyperparameters: Hyperparameters) -> None:
        """Gives a free place to a member, who then puts a state there."""

        def write(numbers, number):
            numbers[place] = number

        jax.tree.map(write, self._hyperparameters, hyperparameters)
        self._is_taken[place] = True

    def leave(self, place: int) -> None:
        """Makes a place free again."""
        self._is_taken[place] = False

    def state(self, place: int) -> TrainState:
        """Returns a copy of the state in a place."""
        return self._take(self._states, place)

    def acting(self, place: int) -> Variables:
        """Returns a copy of the network that plays in a place."""
        return self._take(self._states.acting, place)

    def put(self, place: int, state: TrainState) -> None:
        """Puts a state into a place."""
        state = replicate(state, self._mesh)
        if self._states is None:
            self._states = self._fill(state)
        else:
            self._states = self._put(self._states, state, place)

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
        return self.num_places if is_vmapped else int(self._is_taken.sum())


class Program(NamedTuple):
    """A compiled iteration of P places."""

    iterate: jax.stages.Compiled
    num_places: int
    num_vmapped: int
    compile_seconds: float


def compile_places(config: TrainConfig, mesh: Mesh, num_places: int) -> Program:
    """Compiles the iteration for that many places."""
    num_vmapped = 1 if jax.default_backend() == "cpu" else num_places
    began = time.perf_counter()
    with _no_garbage_collection():
        lowered = _lower(config, mesh, num_places, num_vmapped)
    compiled = lowered.compile()
    return Program(compiled, num_places, num_vmapped, round(time.perf_counter() - began, 3))


def _lower(
    config: TrainConfig, mesh: Mesh, num_places: int, num_vmapped: int
) -> jax.stages.Lowered:
    numbers = jax.tree.map(
        lambda _: jax.ShapeDtypeStruct((num_places,), jnp.float32), Hyperparameters()
    )
    is_active = jax.ShapeDtypeStruct((num_places,), bool)
    state = jax.eval_shape(
        functools.partial(init_train_state, config), Hyperparameters(), jax.random.key(0)
    )
    states = jax.tree.map(lambda x: jax.ShapeDtypeStruct((num_places, *x.shape), x.dtype), state)
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


def _compile_to_fit(config: TrainConfig, mesh: Mesh, num_places: int) -> Program:
    program = compile_places(config, mesh, num_places)
    fitting = _num_fitting(program, mesh)
    return program if fitting >= num_places else compile_places(config, mesh, fitting)


def _num_fitting(program: Program, mesh: Mesh) -> int:
    """Returns how many places memory has room for, by what the program needs for its own."""
    memory = program.iterate.memory_analysis()
    held = memory.argument_size_in_bytes + memory.output_size_in_bytes - memory.alias_size_in_bytes
    needed = held + memory.temp_size_in_bytes
    return max(1, program.num_places * free_bytes(mesh) // needed)


def _fill(state: TrainState, num_places: int) -> TrainState:
    """Returns the state in every place."""
    return jax.tree.map(lambda x: jnp.broadcast_to(x, (num_places, *x.shape)), state)
