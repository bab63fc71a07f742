"""Orbax where several processes train together: process 0 alone reads and writes a run."""

from typing import TypeVar

import jax
import orbax.checkpoint as ocp

Tree = TypeVar("Tree")


def of_this_process() -> ocp.options.MultiprocessingOptions:
    """Returns options by which Orbax waits for no other process; the folder must be there."""
    own = jax.process_index()
    return ocp.options.MultiprocessingOptions(primary_host=own, active_processes={own})


def writable(tree: Tree) -> Tree:
    """Returns arrays that one process of several may write: Orbax refuses those on its devices."""
    return tree if jax.process_count() == 1 else jax.device_get(tree)
