"""Opens Orbax's manager of a folder of checkpoints, whatever the name of the folder is."""

import pathlib
import re
import tempfile
import weakref
from typing import Any

import jax
import orbax.checkpoint as ocp

from azjax.runs.storage.orbax_reading import ReadableCheckpoints

# What Orbax takes literally. It reads brackets as a pattern and `/s3/` as the address of a bucket,
# and then writes unreadable checkpoints without an error. TensorStore refuses what is no UTF-8.
_LITERAL = re.compile(r"/(?!(gs|s3|az|hf)/)[\w/.,=+-]*", re.ASCII)


def open_manager(folder: pathlib.Path, **options: Any) -> ocp.CheckpointManager:
    """Returns the manager of an existing folder, which waits for no other process.

    Where several processes train together, process 0 alone reads and writes the run.
    """
    own = jax.process_index()
    path = folder.absolute()
    is_literal = _LITERAL.fullmatch(str(path)) is not None
    path = path if is_literal else _link_to(path)
    manager = ocp.CheckpointManager(
        path,
        options=ocp.CheckpointManagerOptions(
            enable_async_checkpointing=False,
            step_name_format=ReadableCheckpoints(),
            create=False,
            multiprocessing_options=ocp.options.MultiprocessingOptions(
                primary_host=own, active_processes={own}
            ),
            **options,
        ),
    )
    if not is_literal:
        weakref.finalize(manager, _remove_link, path)
    return manager


def _link_to(folder: pathlib.Path) -> pathlib.Path:
    """Returns a link to a folder, in a temporary folder of its own."""
    link = pathlib.Path(tempfile.mkdtemp(prefix="azjax-"), "checkpoints")
    link.symlink_to(folder, target_is_directory=True)
    return link


def _remove_link(link: pathlib.Path) -> None:
    link.unlink(missing_ok=True)  # by itself: nothing may follow it
    link.parent.rmdir()
