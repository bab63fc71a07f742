"""Which processes train together: by flags, or as SLURM has started them."""

import dataclasses
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import NamedTuple, NoReturn

from azjax.support.errors import InputError, first_line, input_errors
from azjax.support.validation import check_size

_LARGEST_PORT = 2**16 - 1
_SLURM = (
    "SLURM_JOB_ID",
    "SLURM_STEP_ID",
    "SLURM_STEP_NODELIST",
    "SLURM_STEP_NUM_NODES",
    "SLURM_STEP_NUM_TASKS",
    "SLURM_PROCID",
    "SLURM_LOCALID",
)
_FIRST_PORT, _NUM_PORTS = 61_440, 4_095  # of the steps, in the range for dynamic use
_GROUP = "AZJAX_PROCESS_GROUP"


@dataclasses.dataclass(frozen=True)
class DistributedOptions:
    """The processes that train together, by the names of `jax.distributed.initialize`."""

    coordinator_address: str | None = None
    """HOST:PORT of process 0, where it listens to the others. Tasks of SLURM need none of these
    options."""
    num_processes: int | None = None
    """The number of processes, each started by the same command; with 1 this one is alone, under
    SLURM too."""
    process_id: int | None = None
    """Which of them this is, from 0. Process 0 alone prints, and reads and writes the run."""
    initialization_timeout: int = 300
    """Seconds to wait at the start until all processes have come."""


class ProcessGroup(NamedTuple):
    """One process of several."""

    coordinator_address: str  # of process 0
    num_processes: int
    process_id: int
    initialization_timeout: int  # seconds
    local_devices: tuple[int, ...] | None = None  # None: all devices of the machine


def group_of_flags(options: DistributedOptions) -> ProcessGroup | None:
    """Returns the group that the flags name, or None if there are none, or one process alone.

    Raises:
      InputError: Some of them are missing, or out of range.
    """
    given = (options.coordinator_address, options.num_processes, options.process_id)
    if all(value is None for value in given) or options.num_processes == 1:
        return None
    address, size, number = given
    if address is None or size is None or number is None:
        raise InputError(
            "--distributed.coordinator-address, --distributed.num-processes and "
            "--distributed.process-id go together: give all three, or none"
        )
    host, _, port = address.rpartition(":")
    timeout = options.initialization_timeout
    with input_errors():
        if not (host and port.isdecimal() and 0 < int(port) <= _LARGEST_PORT):
            raise ValueError(
                f"distributed.coordinator_address={address}: must be HOST:PORT, as 10.0.0.1:7000"
            )
        check_size("distributed.num_processes", size, 1, 2**16)
        check_size("distributed.process_id", number, 0, size - 1)
        check_size("distributed.initialization_timeout", timeout, 1, 86_400)
    return ProcessGroup(address, size, number, timeout)


def group_of_slurm(environment: Mapping[str, str], timeout: int) -> ProcessGroup | None:
    """Returns the group of a task of several that `srun` has started, or None if this is none.

    Raises:
      InputError: SLURM does not tell the first machine.
    """
    if not all(name in environment for name in _SLURM):
        return None
    job, step, nodes, *numbers = (environment[name] for name in _SLURM)
    num_nodes, num_tasks, task, local_task = map(int, numbers)
    if num_tasks == 1:
        return None
    port = _FIRST_PORT + (int(job) + 31 * int(step)) % _NUM_PORTS
    # Several tasks of a node take a GPU each, unless SLURM shows each task its own alone.
    has_own = len(environment.get("CUDA_VISIBLE_DEVICES", ",").split(",")) == 1
    local_devices = (local_task,) if num_tasks > num_nodes and not has_own else None
    address = f"{first_node(nodes)}:{port}"
    return ProcessGroup(address, num_tasks, task, timeout, local_devices)


def first_node(nodes: str) -> str:
    """Returns the first of some nodes, such as `gpu[003-007,9],login`, or raises an InputError."""
    command = ["scontrol", "show", "hostnames", nodes]
    try:
        found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    except (OSError, subprocess.CalledProcessError) as error:
        raise InputError(f"{' '.join(command)} fails: {first_line(error)}") from error
    return found[0]


def start_in_group(group: ProcessGroup) -> NoReturn:
    """Starts the command of this process anew: it joins the group before anything is computed."""
    command = [sys.executable, "-m", "azjax", *sys.argv[1:]]
    os.execve(sys.executable, command, {**os.environ, _GROUP: json.dumps(group)})


def own_group() -> ProcessGroup | None:
    """Returns the group that this process was started in, or None if it is alone."""
    return ProcessGroup(*json.loads(os.environ[_GROUP])) if _GROUP in os.environ else None
