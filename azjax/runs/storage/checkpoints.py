"""Checkpoints of the whole TrainState, each with a fingerprint that detects damage."""

import hashlib
import pathlib
import shutil
from collections.abc import Iterable
from typing import Any, NamedTuple, TypeVar

import chex
import jax
import numpy as np
import orbax.checkpoint as ocp
from orbax.checkpoint import checkpoint_managers as managers

from azjax.runs.storage.orbax_manager import open_manager
from azjax.runs.storage.orbax_reading import read_saved, unreadable_checkpoints
from azjax.runs.storage.orbax_writing import writable, write_items
from azjax.support.errors import InputError, first_line
from azjax.training import TrainState

_KEEP_NEWEST = 3
_UNKNOWN = -1.0  # the accuracy of a run without solved positions


Tree = TypeVar("Tree")


class Restored(NamedTuple):
    """A restored state."""

    state: TrainState
    iteration: int
    fingerprint: str
    warnings: list[str]  # a line for each damaged checkpoint that was skipped


class Checkpoints:
    """The checkpoints of one run: the newest three, and the one of the highest accuracy.

    The accuracy is that on the half of the solved positions that chooses. Checkpoints of older runs
    have that on all of them.
    """

    def __init__(self, path: pathlib.Path, *, writes: bool = True):
        """Opens the folder; with `writes`, creates it."""
        self._path = path
        self._was_read_back = False
        if writes:
            path.mkdir(parents=True, exist_ok=True)
        best = managers.BestN(get_metric_fn=_accuracy, n=1, keep_checkpoints_without_metrics=False)
        kept = managers.AnyPreservationPolicy([managers.LatestN(_KEEP_NEWEST), best])
        self._manager = open_manager(path, preservation_policy=kept, best_fn=_accuracy)

    def save(self, state: TrainState, accuracy: float | None) -> None:
        """Writes a checkpoint in one step; the first one is read back.

        Args:
          state: The state.
          accuracy: Its accuracy with search on the half of the solved positions that chooses, or
            None if unknown.

        Raises:
          OSError: The checkpoint cannot be written or read back; earlier ones are unchanged.
        """
        arrays, iteration = to_arrays(state), int(state.iteration)
        write_items(
            self._manager,
            iteration,
            {"accuracy": _UNKNOWN if accuracy is None else accuracy},
            state=ocp.args.StandardSave(writable(_present(arrays))),
            fingerprint=ocp.args.JsonSave({"sha256": fingerprint(arrays)}),
        )
        if not self._was_read_back:
            self._read_back(iteration, jax.eval_shape(lambda: arrays))
            self._was_read_back = True

    def _read_back(self, iteration: int, shapes: TrainState) -> None:
        """Reads what was just written into host memory, and deletes it if that fails."""
        try:
            self._read(jax.tree.map(_in_host_memory, shapes), iteration, [])
        except Exception as error:  # a damaged file can raise any kind
            self.delete([iteration])
            path = self._path / str(iteration)
            raise OSError(f"{path} was written and cannot be read: {first_line(error)}") from error

    def delete(self, iterations: Iterable[int]) -> None:
        """Deletes the checkpoints of these iterations, damaged ones too.

        Raises:
          OSError: One cannot be deleted.
        """
        for iteration in iterations:
            shutil.rmtree(self._path / str(iteration))
        self._manager.reload()

    def iterations(self) -> list[int]:
        """Returns the iterations of the checkpoints whose descriptions are whole, in order."""
        self._manager.reload()
        return sorted(self._manager.all_steps())

    def iterations_with_damaged(self) -> list[int]:
        """Returns the iterations of all checkpoints, in order."""
        return sorted({*self.iterations(), *unreadable_checkpoints(self._path)})

    def restore(
        self, like: TrainState, which: int | str = "newest", *, last: int | None = None
    ) -> Restored:
        """Reads a checkpoint; instead of a damaged newest one, the newest undamaged one.

        Args:
          like: A state, or its shapes.
          which: "newest", "best", or an iteration.
          last: The newest checkpoint is of this iteration or an earlier one, if given.

        Raises:
          InputError: There is no such checkpoint, or it is damaged.
        """
        shapes = on_first_device(jax.eval_shape(to_arrays, like))
        unreadable = unreadable_checkpoints(self._path)
        damaged: list[str] = []
        for iteration in self._candidates(which, unreadable):
            if last is not None and iteration > last:
                continue
            try:
                if iteration in unreadable:
                    raise ValueError(unreadable[iteration])
                warnings = [
                    f"{self._path.parent}: {what}: checkpoint {iteration} is read instead"
                    for what in damaged
                ]
                return self._read(shapes, iteration, warnings)
            except Exception as error:  # a damaged file can raise any kind
                reason = first_line(error)
                damaged.append(f"checkpoint {iteration} is damaged ({reason})")
        raise InputError(f"{self._path} holds no undamaged checkpoint: {'; '.join(damaged)}")

    def _candidates(self, which: int | str, unreadable: Iterable[int]) -> list[int]:
        """Returns the iterations to try, in order; one that is unreadable may be the best."""
        kept = self.iterations()
        known = sorted({*kept, *unreadable})
        if not known:
            raise InputError(f"{self._path} holds no checkpoint yet")
        if which == "newest":
            return known[::-1]
        if which == "best":
            best = self._manager.best_step()
            return [*unreadable, *(kept[-1:] if best is None else [best])]
        if which not in known:
            raise InputError(f"{self._path} holds no checkpoint {which}; there are {known}")
        return [int(which)]

    def _read(self, shapes: TrainState, iteration: int, warnings: list[str]) -> Restored:
        read = read_saved(
            self._manager,
            iteration,
            state=ocp.args.StandardRestore(_present(shapes)),
            fingerprint=ocp.args.JsonRestore(),
        )
        arrays = _complete(shapes, read.state)
        found, expected = fingerprint(arrays), read.fingerprint["sha256"]
        if found != expected:
            raise ValueError("its arrays do not match its fingerprint")
        return Restored(from_arrays(arrays), iteration, found, warnings)

    def close(self) -> None:
        """Closes the checkpoint manager."""
        self._manager.close()


def last_checkpoint(folder: pathlib.Path) -> int | None:
    """Returns the iteration of the newest complete checkpoint in a folder, without opening it.

    Orbax gives a checkpoint its name, the iteration, when it is complete.
    """
    names = [path.name for path in folder.glob("[0-9]*")]
    return max((int(name) for name in names if name.isdecimal()), default=None)


def to_arrays(state: TrainState) -> TrainState:
    """Returns the state with the key replaced by its data."""
    return state._replace(key=jax.random.key_data(state.key))


def from_arrays(arrays: TrainState) -> TrainState:
    """Returns the state with the key of its data."""
    return arrays._replace(key=jax.random.wrap_key_data(arrays.key))


def on_first_device(shapes: Tree) -> Tree:
    """Returns shapes that are restored to the first device of this machine."""
    device = jax.sharding.SingleDeviceSharding(jax.local_devices()[0])
    return jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=device), shapes)


def _in_host_memory(shape: jax.ShapeDtypeStruct) -> np.ndarray:
    """Returns an array of a shape, without memory of its own, that is restored to NumPy."""
    return np.broadcast_to(np.zeros((), shape.dtype), shape.shape)


def _present(tree: Any) -> Any:
    """Returns nested NamedTuples as dicts of the fields that are not None.

    A field of an option, such as the best network of gating, is missing in the files of runs
    without, and so is a dict without entries.
    """
    if not hasattr(tree, "_fields"):
        return tree
    fields = tree._asdict().items()
    return {name: _present(value) for name, value in fields if jax.tree.leaves(value)}


def _complete(like: Any, present: Any) -> Any:
    """Returns what `_present` has returned as NamedTuples like those."""
    if not hasattr(like, "_fields"):
        return present
    fields = {name: _complete(getattr(like, name), value) for name, value in present.items()}
    return like._replace(**fields)


def fingerprint(arrays: chex.ArrayTree) -> str:
    """Returns the SHA-256 of all arrays: their paths in the tree, types, shapes and contents."""
    digest = hashlib.sha256()
    for path, leaf in jax.tree_util.tree_leaves_with_path(arrays):
        array = np.ascontiguousarray(leaf)
        digest.update(f"{jax.tree_util.keystr(path)} {array.dtype} {array.shape};".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def _accuracy(metrics: dict[str, float]) -> float:
    return metrics["accuracy"]
