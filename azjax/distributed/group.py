"""Which processes train together: by flags, or as SLURM has started them."""

import dataclasses
from typing import NamedTuple

from azjax.support.errors import InputError, input_errors
from azjax.support.validation import check_size

_MOST_PROCESSES = 2**16
_MOST_SECONDS = 86_400
_LARGEST_PORT = 2**16 - 1


@dataclasses.dataclass(frozen=True)
class DistributedOptions:
    """The processes that train together, by the names of `jax.distributed.initialize`."""

    coordinator_address: str | None = None
    """HOST:PORT of process 0, where it listens to the others at this port and the next one. Tasks
    of SLURM need none of these options."""
    num_processes: int | None = None
    """The number of processes, each started by the same command; with 1 this one is alone, under
    SLURM too."""
    process_id: int | None = None
    """Which of them this is, from 0. Process 0 alone prints, and reads and writes the run."""
    initialization_timeout: int = 300
    """Seconds to wait at the start until all processes have come."""


class ProcessGroup(NamedTuple):
    """One process of several."""

    host: str  # of process 0
    port: int  # where the supervisors talk; JAX's coordinator has the next one
    num_processes: int
    process_id: int
    initialization_timeout: int  # seconds
    local_devices: tuple[int, ...] | None = None  # None: all devices of the machine

    @property
    def coordinator_address(self) -> str:
        """Where JAX's coordinator listens."""
        return f"{self.host}:{self.port + 1}"

    def flags(self) -> str:
        """Returns the flags that name this process on the command line."""
        timeout = self.initialization_timeout
        is_default = timeout == DistributedOptions.initialization_timeout
        return (
            f" --distributed.coordinator-address {self.host}:{self.port}"
            f" --distributed.num-processes {self.num_processes}"
            f" --distributed.process-id {self.process_id}"
            + ("" if is_default else f" --distributed.initialization-timeout {timeout}")
        )


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
        is_port = port.isdecimal() and 0 < int(port) < _LARGEST_PORT
        if not is_port or not _is_host_name(host):
            raise ValueError(
                f"distributed.coordinator_address={address}: must be HOST:PORT, as 10.0.0.1:7000"
            )
        check_size("distributed.num_processes", size, 1, _MOST_PROCESSES)
        check_size("distributed.process_id", number, 0, size - 1)
        check_size("distributed.initialization_timeout", timeout, 1, _MOST_SECONDS)
    return ProcessGroup(host, int(port), size, number, timeout)


def _is_host_name(host: str) -> bool:
    """Tells whether the system's resolver can be asked for the host; it refuses `a..b`."""
    try:
        return bool(host.encode("idna"))
    except UnicodeError:
        return False
