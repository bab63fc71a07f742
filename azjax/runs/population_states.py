"""The states of a population on its devices."""

import functools
import time

import chex
import jax
import jax.numpy as jnp
import numpy as np

from azjax.distributed.exchange import broadcast_arrays, gather_array
from azjax.networks import Variables
from azjax.runs.program import compile_to_fit
from azjax.runs.storage.checkpoints import from_arrays, to_arrays
from azjax.support.errors import input_errors
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


class PopulationStates:
    """P states on the devices, and the compiled iteration that updates them.

    Of several processes each holds its share of the games: all must call every method but
    `read_actor`, in the same order, and process 0 alone knows the arguments of `write`.
    """

    is_stop_requested = False  # by a signal to another process

    def __init__(self, config: TrainConfig, num_devices: int, num_slots: int):
        """Compiles the iteration for `num_slots` slots, or for as many as fit into memory.

        Raises:
          InputError: There are fewer devices, or the games cannot be sharded over them.
        """
        with input_errors():
            mesh = make_global_mesh(num_devices)
            config.check_devices(num_devices)
        began = time.perf_counter()
        self.program = compile_to_fit(config, mesh, num_slots)
        self.compile_seconds = round(time.perf_counter() - began, 3)
        self._population: TrainState | None = None  # [P, ...], from the first `write` on
        self._config, self._member_shardings = config, member_shardings(config, mesh)
        jit = functools.partial(jax.jit, out_shardings=state_shardings(config, mesh))
        self._repeat = jit(_repeat, static_argnums=1)
        self._set = jit(_set, donate_argnums=0)
        self._get = jax.jit(get_member)
        self._get_arrays = jax.jit(
            lambda states, slot: to_arrays(get_member(states, slot)),
            out_shardings=self._member_shardings,
        )

    def iterate(self, configs: TrainConfig, is_active: chex.Array, progress: chex.Array) -> Metrics:
        """Computes an iteration of every active slot; arguments and metrics are [P]."""
        self._population, metrics = self.program.iterate(configs, is_active, self._states, progress)
        return jax.device_get(metrics)

    def like_arguments(self) -> tuple[TrainConfig, np.ndarray, np.ndarray]:
        """Returns arrays like the arguments of `iterate`."""
        numbers = np.zeros(self.program.num_slots, np.float32)
        configs = jax.tree.map(lambda _: numbers, self._config)
        return configs, np.zeros(self.program.num_slots, bool), numbers

    def read(self, slot: int) -> TrainState:
        """Returns a copy of the state in a slot; of several processes, in NumPy."""
        if jax.process_count() == 1:
            return self._get(self._states, slot)
        return from_arrays(jax.tree.map(gather_array, self._get_arrays(self._states, slot)))

    def read_actor(self, slot: int) -> Variables:
        """Returns a copy of the network that plays in a slot, which every process holds."""
        here = jax.tree.map(lambda x: x.addressable_data(0), self._states.actor)
        return self._get(here, slot)

    def write(self, slot: int, state: TrainState | None) -> None:
        """Copies a state into a slot; other processes than 0 have none."""
        placed = self._place(self._shapes() if state is None else to_arrays(state))
        if self._population is None:
            self._population = self._repeat(placed, self.program.num_slots)
        else:
            self._population = self._set(self._population, placed, slot)

    def _shapes(self) -> TrainState:
        """Returns the shapes of a state as arrays."""
        return jax.eval_shape(
            lambda key: to_arrays(init_train_state(self._config, key)), jax.random.key(0)
        )

    def _place(self, arrays: TrainState) -> TrainState:
        """Returns the arrays of process 0 on the devices that hold them."""
        if jax.process_count() == 1:
            return jax.device_put(arrays, self._member_shardings)
        shardings = jax.tree.broadcast(self._member_shardings, arrays)
        return jax.tree.map(_place_array, broadcast_arrays(arrays), shardings)

    @property
    def _states(self) -> TrainState:
        if self._population is None:
            raise RuntimeError("no state has been set")
        return self._population


def _place_array(array: np.ndarray, sharding: jax.sharding.Sharding) -> jax.Array:
    return jax.make_array_from_callback(array.shape, sharding, lambda index: array[index])


def _repeat(arrays: TrainState, num_slots: int) -> TrainState:
    """Returns the state [P, ...] in every slot."""
    state = from_arrays(arrays)
    return jax.tree.map(lambda x: jnp.broadcast_to(x, (num_slots, *x.shape)), state)


def _set(states: TrainState, arrays: TrainState, slot: chex.Numeric) -> TrainState:
    return set_member(states, from_arrays(arrays), slot)
