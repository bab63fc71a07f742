"""Reads the checkpoints of a run, and the iterations of its networks."""

import contextlib
from collections.abc import Sequence

import jax
import numpy as np

from azjax.runs.storage.checkpoints import Checkpoints, Restored, saved_iterations
from azjax.runs.storage.run_directory import RunDirectory
from azjax.support.errors import InputError, input_errors
from azjax.training import TrainState, init_train_state


def past_iterations(run: RunDirectory) -> list[int]:
    """Returns the iterations of a run's networks in history and checkpoints, in order."""
    return sorted({*kept_networks(run), *checkpointed(run)})


def spread_evenly(iterations: Sequence[int], most: int) -> list[int]:
    """Returns at most so many iterations, evenly spaced, the first and the last among them."""
    times = np.linspace(iterations[0], iterations[-1], most)
    nearest = (min(iterations, key=lambda i: abs(i - time)) for time in times)
    return list(dict.fromkeys(nearest))


def kept_networks(run: RunDirectory) -> list[int]:
    """Returns the iterations of a run's network history, in order."""
    return saved_iterations(run.history)


def checkpointed(run: RunDirectory) -> list[int]:
    """Returns the iterations of a run's checkpoints, in order."""
    return saved_iterations(run.checkpoints)


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
