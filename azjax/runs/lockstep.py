"""Several processes in lockstep: what process 0 does with the states, the others do too."""

import contextlib
import json
from collections.abc import Callable, Iterator

import jax
import numpy as np

from azjax.config.stored_config import read_train_config
from azjax.distributed.exchange import broadcast_bytes, broadcast_text
from azjax.runs.slots import Slots, Step, agree, tell
from azjax.support.errors import InputError
from azjax.training import make_game_and_network


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
