"""Several processes in lockstep: what process 0 does with the states, the others do too.

Process 0 runs the sessions, with their files and evaluations, as if it were alone. Before it does
anything with the states it tells the other processes, which know nothing else of the runs.
"""

import contextlib
import enum
import json
from collections.abc import Callable, Iterator
from typing import Any

import chex
import jax
import numpy as np

from azjax.config.stored_config import read_train_config, store_train_config
from azjax.distributed.exchange import (
    broadcast_arrays,
    broadcast_bytes,
    broadcast_text,
    count_processes,
    gather_texts,
)
from azjax.networks import Variables
from azjax.runs.population_states import PopulationStates
from azjax.support.errors import InputError
from azjax.support.machine.devices import make_global_mesh
from azjax.training import Metrics, TrainConfig, TrainState, make_game_and_network

_NUMBER_BYTES = 4  # of a step, and of what goes with it


class Step(enum.IntEnum):
    """What all processes do next."""

    COMPILE = 0
    ITERATE = 1
    READ = 2  # a slot
    WRITE = 3  # a slot
    END = 4  # with an exit status


class LeadingStates:
    """The states of process 0, which takes the other processes along."""

    def __init__(self, config: TrainConfig, num_devices: int, num_slots: int):
        """Compiles the iteration in all processes.

        Raises:
          InputError: As of `PopulationStates`.
        """
        _send(Step.COMPILE)
        stored = store_train_config(config)
        plan = {"config": stored, "num_devices": num_devices, "num_slots": num_slots}
        broadcast_text(json.dumps(plan))
        self._states = _open_together(plan)
        self.program = self._states.program
        self.compile_seconds = self._states.compile_seconds
        self.is_stop_requested = False

    def iterate(self, *arguments: chex.ArrayTree) -> Metrics:
        """Computes an iteration; arguments are those of `PopulationStates.iterate`."""
        _send(Step.ITERATE)
        metrics = self._states.iterate(*broadcast_arrays(arguments))
        self.is_stop_requested |= count_processes(False) > 0
        return metrics

    def read(self, slot: int) -> TrainState:
        """Returns a copy of the state in a slot."""
        _send(Step.READ, slot)
        return self._states.read(slot)

    def read_actor(self, slot: int) -> Variables:
        """Returns a copy of the network that plays in a slot."""
        return self._states.read_actor(slot)

    def write(self, slot: int, state: TrainState) -> None:
        """Copies a state into a slot."""
        _send(Step.WRITE, slot)
        self._states.write(slot, state)


def open_states(
    config: TrainConfig, num_devices: int, num_slots: int
) -> PopulationStates | LeadingStates:
    """Returns the states of a population, in all processes if there are several.

    Raises:
      InputError: As of `PopulationStates`.
    """
    kind = PopulationStates if jax.process_count() == 1 else LeadingStates
    return kind(config, num_devices, num_slots)


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
        status = None  # the others may be within another step, or gone: supervisors end them
        raise
    finally:
        if status is not None:
            _send(Step.END, status)


def follow(is_stop_requested: Callable[[], bool]) -> int:
    """Takes the steps of process 0, until it ends; returns the exit status.

    Args:
      is_stop_requested: Tells whether this process was asked to stop; process 0 then saves.
    """
    states: PopulationStates | None = None
    while True:
        step, number = _receive()
        if step == Step.END:
            return number
        if step == Step.COMPILE:
            with contextlib.suppress(InputError):  # process 0 tells it, and ends
                states = _open_together(json.loads(broadcast_text("")))
            continue
        assert states is not None
        if step == Step.ITERATE:
            states.iterate(*broadcast_arrays(states.like_arguments()))
            count_processes(is_stop_requested())
        elif step == Step.READ:
            states.read(number)
        elif step == Step.WRITE:
            states.write(number, None)


def _open_together(plan: dict[str, Any]) -> PopulationStates:
    """Returns the states, if all processes can have them.

    Raises:
      InputError: One cannot: there are fewer devices, or it lacks a plug-in.
    """
    problem, num_devices = "", plan["num_devices"]
    try:
        config = read_train_config(plan["config"])
        make_global_mesh(num_devices)
        config.check_devices(num_devices)
        make_game_and_network(config)
    except ValueError as error:
        problem = str(error)
    for number, text in enumerate(gather_texts(problem)):
        if text:
            raise InputError(f"process {number}: {text}")
    return PopulationStates(config, num_devices, plan["num_slots"])


def _send(step: Step, number: int = 0) -> None:
    broadcast_bytes(np.array([step, number], np.int32).tobytes(), 2 * _NUMBER_BYTES)


def _receive() -> tuple[Step, int]:
    step, number = np.frombuffer(broadcast_bytes(b"", 2 * _NUMBER_BYTES), np.int32)
    return Step(step), int(number)
