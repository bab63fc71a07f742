"""The slots of a population: states on the device, as many as fit into memory, one for each run."""

import time

import jax
import numpy as np

from azjax.networks import Variables
from azjax.runs.lockstep import open_states
from azjax.training import Metrics, TrainConfig, TrainState


class Slots:
    """P states on the device; an iteration updates those of the acquired slots."""

    def __init__(self, config: TrainConfig, num_devices: int, num_slots: int):
        """Compiles the iteration for `num_slots` slots, or for as many as fit into memory.

        Raises:
          InputError: There are fewer devices, or the games cannot be sharded over them.
        """
        self._states = open_states(config, num_devices, num_slots)
        self._configs = jax.tree.map(lambda _: np.zeros(self.num_slots, np.float32), config)  # [P]
        self._is_acquired = np.zeros(self.num_slots, bool)
        self._progress = np.zeros(self.num_slots, np.float32)

    @property
    def num_slots(self) -> int:
        """P."""
        return self._states.program.num_slots

    @property
    def num_vmapped(self) -> int:
        """How many of them an iteration computes at once; its seconds depend on it."""
        return self._states.program.num_vmapped

    @property
    def compile_seconds(self) -> float:
        """Seconds that compiling the iteration took."""
        return self._states.compile_seconds

    @property
    def is_stop_requested(self) -> bool:
        """Whether a signal to another process has asked to stop."""
        return self._states.is_stop_requested

    def free_slots(self) -> list[int]:
        """Returns the slots that are not acquired."""
        return np.flatnonzero(~self._is_acquired).tolist()

    def acquire(self, slot: int, config: TrainConfig) -> None:
        """Assigns a free slot to a run, which then sets its state.

        Args:
          slot: The slot.
          config: The run's configuration, which differs from those of other slots in numbers alone.
        """

        def write(numbers, number):
            numbers[slot] = number

        jax.tree.map(write, self._configs, config)
        self._is_acquired[slot] = True

    def release(self, slot: int) -> None:
        """Marks a slot as free."""
        self._is_acquired[slot] = False

    def get_state(self, slot: int) -> TrainState:
        """Returns a copy of the state in a slot."""
        return self._states.read(slot)

    def get_actor(self, slot: int) -> Variables:
        """Returns a copy of the network that plays in a slot."""
        return self._states.read_actor(slot)

    def set_state(self, slot: int, state: TrainState) -> None:
        """Copies a state into a slot."""
        self._states.write(slot, state)

    def set_progress(self, slot: int, progress: float) -> None:
        """Sets the share of its budget that a run has done at the start of its next iteration."""
        self._progress[slot] = progress

    def iterate(self) -> tuple[Metrics, float]:
        """Computes an iteration of every acquired slot; returns [P] metrics and seconds per run."""
        began = time.perf_counter()
        metrics = self._states.iterate(self._configs, self._is_acquired, self._progress)
        return metrics, (time.perf_counter() - began) / self._num_computed()

    def _num_computed(self) -> int:
        """Returns how many slots an iteration computes: vmapped, free slots cost as much."""
        is_vmapped = self.num_vmapped > 1
        return self.num_slots if is_vmapped else int(self._is_acquired.sum())
