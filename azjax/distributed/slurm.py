"""The group of a task that `srun` has started: SLURM tells it by environment variables."""

import re
from collections.abc import Mapping

from azjax.distributed.group import ProcessGroup

_VARIABLES = (
    "SLURM_JOB_ID",
    "SLURM_STEP_NODELIST",
    "SLURM_STEP_NUM_NODES",
    "SLURM_STEP_NUM_TASKS",
    "SLURM_PROCID",
    "SLURM_LOCALID",
)
_FIRST_PORT, _NUM_PORTS = 61_440, 2_048  # of which each job has two: those of dynamic use


def group_of_slurm(environment: Mapping[str, str], timeout: int) -> ProcessGroup | None:
    """Returns the group of a task of several, or None: no task of SLURM, or the only one.

    Args:
      environment: The environment variables.
      timeout: Seconds to wait for all tasks.
    """
    if not all(name in environment for name in _VARIABLES):
        return None
    job, nodes, *numbers = (environment[name] for name in _VARIABLES)
    num_nodes, num_tasks, task, local_task = map(int, numbers)
    if num_tasks == 1:
        return None
    port = _FIRST_PORT + 2 * (int(job) % _NUM_PORTS)
    visible = environment.get("CUDA_VISIBLE_DEVICES", "").split(",")
    # Several tasks of a node take a GPU each, unless SLURM has given each task its own.
    shares_node = num_tasks > num_nodes and len(visible) > 1
    local_devices = (local_task,) if shares_node else None
    return ProcessGroup(
        first_node(nodes), port, num_tasks, task, timeout, local_devices, by_flags=False
    )


def first_node(nodes: str) -> str:
    """Returns the first node of a list such as `gpu[003-007,9],login`."""
    name, first = re.match(r"([^,\[]+)(?:\[([^,\-\]]+))?", nodes).groups()  # type: ignore[union-attr]
    return name + (first or "")
