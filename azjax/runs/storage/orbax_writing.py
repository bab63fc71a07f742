"""Writes Orbax checkpoints that survive a power failure, or raises one error."""

import os
import pathlib
import re
import shutil
from typing import TypeVar

import jax
import orbax.checkpoint as ocp

from azjax.support.errors import first_line
from azjax.support.files.atomic_files import sync, sync_tree

Tree = TypeVar("Tree")


def writable(tree: Tree) -> Tree:
    """Returns arrays that one process of several may write: Orbax refuses those on its devices."""
    return tree if jax.process_count() == 1 else jax.device_get(tree)


def write_items(
    manager: ocp.CheckpointManager,
    iteration: int,
    metrics: dict[str, float] | None = None,
    **items: ocp.args.CheckpointArgs,
) -> None:
    """Writes a checkpoint in one step; it replaces one of the same iteration.

    Args:
      manager: The manager of the folder.
      iteration: The iteration.
      metrics: The metrics by which the best checkpoint is chosen, if any is.
      **items: Name of each item to its arguments for saving.

    Raises:
      OSError: It cannot be written; the text is one line.
    """
    path = pathlib.Path(manager.directory).resolve() / str(iteration)  # it may be a link
    try:
        if path.exists():  # a damaged one, say, which was skipped, and which Orbax may not see
            shutil.rmtree(path)
        manager.reload()
        manager.save(iteration, args=ocp.args.Composite(**items), metrics=metrics, force=True)
        sync_tree(path)  # Orbax renames without it
        sync(path.parent.parent)
    except Exception as error:  # Orbax and TensorStore raise many kinds for a full disk
        raise OSError(f"{path} cannot be written: {_reason(error)}") from error


def unfinished_items(folder: pathlib.Path) -> list[pathlib.Path]:
    """Returns the folders of checkpoints that were not written to their end."""
    return sorted(folder.glob(f"*{ocp.utils.TMP_DIR_SUFFIX}*"))


def _reason(error: Exception) -> str:
    """Returns what the system says, which TensorStore puts last in a long text, or else a line."""
    code = re.search(r"os_error_code='(\d+)'", str(error))
    if code:
        return os.strerror(int(code[1]))
    return getattr(error, "strerror", None) or first_line(error)
