"""A folder of Orbax checkpoints, each an array tree and its fingerprint, that shows no damage late.

What is written survives a power failure. A damaged file, and a full disk, raise one error of one
line and cause no other output. Orbax reads the descriptions of all checkpoints when it opens a
folder, and one that is damaged closes the folder to it: so it sees the others only.
"""

import contextlib
import gc
import hashlib
import os
import pathlib
import re
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import chex
import jax
import numpy as np
import orbax.checkpoint as ocp

from azjax.support.errors import first_line
from azjax.support.files.atomic_files import sync, sync_tree
from azjax.support.files.reading import read_json

# What Orbax takes literally. It reads brackets as a pattern and `/s3/` as the address of a bucket,
# and then writes unreadable checkpoints without an error. TensorStore refuses what is no UTF-8.
_LITERAL = re.compile(r"/(?!(gs|s3|az|hf)/)[\w/.,=+-]*", re.ASCII)
_DESCRIPTION = "_CHECKPOINT_METADATA"
_METRICS = pathlib.Path("metrics", "metrics")
_STANDARD_NAMES = ocp.path.step.standard_name_format  # of checkpoints: their iterations


class OrbaxFolder:
    """A folder of array trees by iteration."""

    def __init__(self, path: pathlib.Path, item: str, **options: Any):
        """Opens an existing folder, by options of Orbax's manager.

        Of several processes process 0 alone does. `item` names the arrays in a checkpoint.
        """
        own = jax.process_index()
        self.path, self._item = path, item
        opened = path.absolute()
        links = contextlib.ExitStack()
        if not _LITERAL.fullmatch(str(opened)):
            folder = tempfile.mkdtemp(prefix="azjax-")
            links.callback(os.rmdir, folder)
            link = pathlib.Path(folder, "checkpoints")
            link.symlink_to(opened, target_is_directory=True)
            links.callback(link.unlink)
            opened = link
        self.manager = ocp.CheckpointManager(
            opened,
            options=ocp.CheckpointManagerOptions(
                enable_async_checkpointing=False,
                step_name_format=_ReadableCheckpoints(),
                create=False,
                multiprocessing_options=ocp.options.MultiprocessingOptions(
                    primary_host=own, active_processes={own}
                ),
                **options,
            ),
        )
        weakref.finalize(self.manager, links.close)

    def write(
        self, iteration: int, arrays: Any, sha256: str, metrics: dict[str, float] | None = None
    ) -> None:
        """Writes arrays and their fingerprint in one step, in place of older ones.

        Args:
          iteration: The iteration.
          arrays: The arrays, without NamedTuples.
          sha256: Their fingerprint.
          metrics: What the best checkpoint is chosen by, if any is.

        Raises:
          OSError: It cannot be written; the text is one line.
        """
        path = self.path.resolve() / str(iteration)
        if jax.process_count() > 1:  # Orbax refuses arrays on the devices of several processes
            arrays = jax.device_get(arrays)
        items = {
            self._item: ocp.args.StandardSave(arrays),
            "fingerprint": ocp.args.JsonSave({"sha256": sha256}),
        }
        try:
            if path.exists():  # a damaged one, say, which was skipped, and which Orbax may not see
                shutil.rmtree(path)
            self.manager.reload()
            self.manager.save(
                iteration, args=ocp.args.Composite(**items), metrics=metrics, force=True
            )
            sync_tree(path)  # Orbax renames without it
            sync(path.parent.parent)
        except Exception as error:  # Orbax and TensorStore raise many kinds for a full disk
            raise OSError(f"{path} cannot be written: {_reason(error)}") from error

    def read(self, iteration: int, like: Any, complete: Callable[[Any], Any]) -> tuple[Any, str]:
        """Returns the arrays of an existing checkpoint, and their fingerprint.

        Args:
          iteration: The iteration.
          like: Shapes of the arrays, which are put on the first device of this machine.
          complete: Returns the tree of the fingerprint, given what was written.

        Raises:
          ValueError: They cannot be read, or are damaged; the text is one line.
        """
        items = {
            self._item: ocp.args.StandardRestore(jax.tree.map(_on_first_device, like)),
            "fingerprint": ocp.args.JsonRestore(),
        }
        reason = "its arrays do not match its fingerprint"
        try:
            read = self.manager.restore(iteration, args=ocp.args.Composite(**items))
            arrays, sha256 = complete(read[self._item]), read["fingerprint"]["sha256"]
            if fingerprint(arrays) == sha256:
                return arrays, sha256
        except Exception:  # a damaged file can raise any kind, with texts of TensorStore
            reason = "its files cannot be read, or its arrays have other shapes"
        gc.collect()  # frees abandoned reads here, where no test or user looks for their ends
        raise ValueError(reason)

    def iterations(self) -> list[int]:
        """Returns the iterations of the checkpoints whose descriptions are whole, in order."""
        self.manager.reload()
        return sorted(self.manager.all_steps())

    def unreadable(self) -> dict[int, str]:
        """Returns why descriptions are damaged, by the iterations of their checkpoints."""
        found = _STANDARD_NAMES().find_all(self.path) if self.path.is_dir() else ()
        return {checkpoint.step: fault for checkpoint in found if (fault := _fault(checkpoint))}

    def delete(self, iterations: Iterable[int]) -> None:
        """Deletes the checkpoints of these iterations, damaged ones too."""
        for iteration in iterations:
            shutil.rmtree(self.path / str(iteration))
        self.manager.reload()

    def close(self) -> None:
        """Closes the manager."""
        self.manager.close()


def unfinished_items(folder: pathlib.Path) -> list[pathlib.Path]:
    """Returns the folders of checkpoints that were not written to their end."""
    return sorted(folder.glob(f"*{ocp.utils.TMP_DIR_SUFFIX}*"))


def fingerprint(arrays: chex.ArrayTree) -> str:
    """Returns the SHA-256 of all arrays: their paths in the tree, types, shapes and contents."""
    digest = hashlib.sha256()
    for path, leaf in jax.tree_util.tree_leaves_with_path(arrays):
        array = np.ascontiguousarray(leaf)
        digest.update(f"{jax.tree_util.keystr(path)} {array.dtype} {array.shape};".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


class _ReadableCheckpoints(ocp.path.step.NameFormat):
    """Finds the checkpoints of a folder, by their iterations, whose descriptions are whole."""

    build_name = staticmethod(_STANDARD_NAMES().build_name)
    find_step = staticmethod(_STANDARD_NAMES().find_step)

    def find_all(self, base_path: str) -> Iterator[ocp.path.step.Metadata]:
        found = _STANDARD_NAMES().find_all(base_path)
        return (checkpoint for checkpoint in found if not _fault(checkpoint))


def _fault(checkpoint: ocp.path.step.Metadata) -> str | None:
    """Returns why the description of a checkpoint is damaged, or None."""
    folder = pathlib.Path(checkpoint.path)
    try:
        read_json(folder / _DESCRIPTION)  # first, as Orbax logs what is no JSON
        checkpoint.commit_timestamp  # noqa: B018, Orbax's own reading, as it opens a folder
        if (folder / _METRICS).parent.exists():
            float(read_json(folder / _METRICS)["accuracy"])
    except Exception as error:  # a damaged file can raise any kind
        return first_line(error)
    return None


def _on_first_device(like: jax.ShapeDtypeStruct) -> jax.ShapeDtypeStruct:
    device = jax.sharding.SingleDeviceSharding(jax.local_devices()[0])
    return jax.ShapeDtypeStruct(like.shape, like.dtype, sharding=device)


def _reason(error: Exception) -> str:
    """Returns what the system says, which TensorStore puts last in a long text, or else a line."""
    code = re.search(r"os_error_code='(\d+)'", str(error))
    if code:
        return os.strerror(int(code[1]))
    return getattr(error, "strerror", None) or first_line(error)
