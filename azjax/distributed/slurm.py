"""The group of a task that `srun` has started: SLURM tells it by environment variables."""

import subprocess
from collections.abc import Mapping

from azjax.distributed.group import ProcessGroup
from azjax.support.errors import InputError, first_line

_VARIABLES = (
    "SLURM_JOB_ID",
    "SLURM_STEP_ID",
    "SLURM_STEP_NODELIST",
    "SLURM_STEP_NUM_NODES",
    "SLURM_STEP_NUM_TASKS",
    "SLURM_PROCID",
    "SLURM_LOCALID",
)
_FIRST_PORT, _NUM_PAIRS = 61_440, 2_047  # each step has two ports, in the range for dynamic use


def group_of_slurm(environment: Mapping[str, str], timeout: int) -> ProcessGroup | None:
    """Returns the group of a task of several, or None: no task of SLURM, or the only one.

    Args:
      environment: The environment variables.
      timeout: Seconds to wait for all tasks.

    Raises:
      InputError: SLURM does not tell the first machine.
    """
    if not all(name in environment for name in _VARIABLES):
        return None
    job, step, nodes, *numbers = (environment[name] for name in _VARIABLES)
    num_nodes, num_tasks, task, local_task = map(int, numbers)
    if num_tasks == 1:
        return None
    port = _FIRST_PORT + 2 * ((int(job) + 31 * int(step)) % _NUM_PAIRS)
    # Several tasks of a node take a GPU each, unless SLURM shows each task its own alone.
    has_own = len(environment.get("CUDA_VISIBLE_DEVICES", ",").split(",")) == 1
    local_devices = (local_task,) if num_tasks > num_nodes and not has_own else None
    return ProcessGroup(first_node(nodes), port, num_tasks, task, timeout, local_devices)


def first_node(nodes: str) -> str:
    """Returns the first of some nodes, such as `gpu[003-007,9],login`.

    Raises:
      InputError: SLURM does not know them.
    """
    command = ["scontrol", "show", "hostnames", nodes]
    try:
        found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    except (OSError, subprocess.CalledProcessError) as error:
        raise InputError(f"{' '.join(command)} fails: {first_line(error)}") from error
    return found[0]
