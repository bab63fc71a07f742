"""Checkpoints of the whole TrainState: when they are due, and fingerprints that detect damage."""

import contextlib
import math
import pathlib
import time
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np
from orbax.checkpoint import checkpoint_managers as managers

from azjax.runs.storage.orbax_folder import OrbaxFolder, fingerprint
from azjax.runs.storage.run_directory import RunDirectory
from azjax.support.errors import InputError, first_line, input_errors
from azjax.training import TrainState, init_train_state

_KEEP_NEWEST = 3
_SECONDS_AFTER_EVALUATIONS = 15.0  # at least between two checkpoints
SECONDS_UNSAVED = 300.0  # at most, unless a single iteration takes longer
_UNKNOWN = -1.0  # the accuracy of a run without solved positions


class Restored(NamedTuple):
    """A restored state."""

    state: TrainState
    iteration: int
    fingerprint: str
    warnings: list[str]  # a line for each damaged checkpoint that was skipped


class Checkpoints(OrbaxFolder):
    """The checkpoints of one run: the newest three, and the one of the highest accuracy.

    That is the accuracy with search on the half of the solved positions that chooses.
    """

    def __init__(self, path: pathlib.Path, *, writes: bool = True):
        """Opens the folder; with `writes`, creates it."""
        if writes:
            path.mkdir(parents=True, exist_ok=True)
        best = managers.BestN(get_metric_fn=_accuracy, n=1, keep_checkpoints_without_metrics=False)
        kept = managers.AnyPreservationPolicy([managers.LatestN(_KEEP_NEWEST), best])
        super().__init__(path, "state", preservation_policy=kept, best_fn=_accuracy)

    def save(self, state: TrainState, accuracy: float | None) -> None:
        """Writes a checkpoint, with its accuracy if known, in one step.

        Raises:
          OSError: The checkpoint cannot be written; earlier ones are unchanged.
        """
        arrays, iteration = to_arrays(state), int(state.iteration)
        metrics = {"accuracy": _UNKNOWN if accuracy is None else accuracy}
        self.write(iteration, _present(arrays), fingerprint(arrays), metrics)

    def iterations_with_damaged(self) -> list[int]:
        """Returns the iterations of all checkpoints, in order."""
        return sorted({*self.iterations(), *self.unreadable()})

    def restore(self, like: TrainState, which: int | str = "newest") -> Restored:
        """Reads a checkpoint; instead of a damaged newest one, the newest undamaged one.

        Args:
          like: A state, or its shapes.
          which: "newest", "best", or an iteration.

        Raises:
          InputError: There is no such checkpoint, or it is damaged.
        """
        shapes = jax.eval_shape(to_arrays, like)
        unreadable = self.unreadable()
        damaged: list[str] = []
        for iteration in self._candidates(which, unreadable):
            try:
                if iteration in unreadable:
                    raise ValueError(unreadable[iteration])
                warnings = [
                    f"{self.path.parent}: {what}: checkpoint {iteration} is read instead"
                    for what in damaged
                ]
                return self._restore(shapes, iteration, warnings)
            except Exception as error:  # a damaged file can raise any kind
                damaged.append(f"checkpoint {iteration} is damaged ({first_line(error)})")
        raise InputError(f"{self.path} holds no undamaged checkpoint: {'; '.join(damaged)}")

    def _candidates(self, which: int | str, unreadable: Iterable[int]) -> list[int]:
        """Returns the iterations to try, in order; one that is unreadable may be the best."""
        kept = self.iterations()
        known = sorted({*kept, *unreadable})
        if not known:
            raise InputError(f"{self.path} holds no checkpoint yet")
        if which == "newest":
            return known[::-1]
        if which == "best":
            best = self.manager.best_step()
            return [*unreadable, *(kept[-1:] if best is None else [best])]
        if which not in known:
            raise InputError(f"{self.path} holds no checkpoint {which}; there are {known}")
        return [int(which)]

    def _restore(self, shapes: TrainState, iteration: int, warnings: list[str]) -> Restored:
        arrays, sha256 = self.read(iteration, _present(shapes), lambda x: _complete(shapes, x))
        return Restored(from_arrays(arrays), iteration, sha256, warnings)


def saved_iterations(folder: pathlib.Path) -> list[int]:
    """Returns the iterations of the complete checkpoints in a folder, in order, without opening it.

    Orbax gives a checkpoint its name, the iteration, when it is complete.
    """
    names = [path.name for path in folder.glob("[0-9]*")]
    return sorted(int(name) for name in names if name.isdecimal())


def last_checkpoint(folder: pathlib.Path) -> int | None:
    """Returns the iteration of the newest complete checkpoint in a folder, if there is one."""
    return max(saved_iterations(folder), default=None)


def to_arrays(state: TrainState) -> TrainState:
    """Returns the state with the key replaced by its data."""
    return state._replace(key=jax.random.key_data(state.key))


def from_arrays(arrays: TrainState) -> TrainState:
    """Returns the state with the key of its data."""
    return arrays._replace(key=jax.random.wrap_key_data(arrays.key))


def _present(tree: Any) -> Any:
    """Returns nested NamedTuples as dicts of the fields that hold arrays, as options decide."""
    if not hasattr(tree, "_fields"):
        return tree
    fields = tree._asdict().items()
    return {name: _present(value) for name, value in fields if jax.tree.leaves(value)}


def _complete(like: Any, present: Any) -> Any:
    """Returns what `_present` has returned as NamedTuples like the ones that it was given."""
    if not hasattr(like, "_fields"):
        return present
    fields = {name: _complete(getattr(like, name), value) for name, value in present.items()}
    return like._replace(**fields)


def _accuracy(metrics: dict[str, float]) -> float:
    return metrics["accuracy"]


class CheckpointSchedule:
    """Decides after each iteration of a session whether its state is saved.

    The first one is: what cannot be saved fails then. An evaluation is saved soon, for the choice
    of the best checkpoint. Any other iteration is saved if the next one, which may take as long,
    would end too late.
    """

    def __init__(self):
        """Starts a session."""
        self._saved_at, self._ended_at = -math.inf, time.monotonic()

    def is_due(self, *, is_evaluation: bool) -> bool:
        """Tells whether to save after the iteration that has just ended."""
        now = time.monotonic()
        unsaved, iteration = now - self._saved_at, now - self._ended_at
        self._ended_at = now
        is_soon = is_evaluation and unsaved > _SECONDS_AFTER_EVALUATIONS
        return is_soon or unsaved + iteration > SECONDS_UNSAVED

    def note_saved(self) -> None:
        """Remembers that the state has been saved now."""
        self._saved_at = time.monotonic()


def past_iterations(run: RunDirectory) -> list[int]:
    """Returns the iterations of a run's networks in history and checkpoints, in order."""
    return sorted({*saved_iterations(run.history), *saved_iterations(run.checkpoints)})


def spread_evenly(iterations: Sequence[int], most: int) -> list[int]:
    """Returns at most so many iterations, evenly spaced, the first and the last among them."""
    times = np.linspace(iterations[0], iterations[-1], most)
    nearest = (min(iterations, key=lambda i: abs(i - time)) for time in times)
    return list(dict.fromkeys(nearest))


def restore(run: RunDirectory, which: int | str = "newest") -> Restored:
    """Reads a checkpoint of a run; `which` is "newest", "best" or an iteration.

    Raises:
      InputError: There is no such checkpoint, or it is damaged or of another configuration.
    """
    if not run.checkpoints.is_dir():
        raise InputError(f"{run.path} holds no checkpoint yet")
    with input_errors():
        shapes = train_state_shapes(run)
    with contextlib.closing(Checkpoints(run.checkpoints, writes=False)) as checkpoints:
        return checkpoints.restore(shapes, which)


def train_state_shapes(run: RunDirectory) -> TrainState:
    """Returns the shapes of a run's state."""
    key = jax.random.key(run.seed)
    return jax.eval_shape(lambda: init_train_state(run.config.train, key))
