"""The slots of a population: states on the devices, one for each run that trains beside others."""

import enum
import functools
import json
import time
from collections.abc import Callable

import chex
import jax
import jax.numpy as jnp
import numpy as np

from azjax.config.stored_config import store_train_config
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
from azjax.runs.program import compile_to_fit
from azjax.runs.storage.checkpoints import from_arrays, to_arrays
from azjax.support.errors import InputError
from azjax.support.machine.devices import make_global_mesh
from azjax.training import (
    Metrics,
    TrainConfig,
    TrainState,
    get_member,
    init_train_state,
    member_shardings,
    set_member,
    state_shardings,
)


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
    were alone, and tells the others, which call the same ones: see `lockstep.follow`. Only process
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
