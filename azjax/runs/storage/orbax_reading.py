"""Reads Orbax checkpoints such that a damaged file causes one error and no other output.

Orbax reads the descriptions of all checkpoints when it opens a folder, and one that is damaged
closes the folder to it. So Orbax sees the others only.
"""

import contextlib
import dataclasses
import gc
import logging
import pathlib
import sys
import warnings
from collections.abc import Callable, Iterator

import orbax.checkpoint as ocp

from azjax.support.errors import first_line
from azjax.support.files.bounded_files import read_json

# How the messages of abandoned reads begin.
_LATE = ("Event loop is closed", "Encountered error while reading array index")
# What a log of an error of TensorStore or Orbax has, one in its text, or one in its traceback.
_OF_A_TASK = ("tensorstore_spec", "os_error_code", "/orbax/")
# How Python's warning of a read or write begins that an earlier error kept from starting.
_NEVER_STARTED = r"coroutine '\S*serialize"
_DESCRIPTION = "_CHECKPOINT_METADATA"
_METRICS = pathlib.Path("metrics", "metrics")

_STANDARD_NAMES = ocp.path.step.standard_name_format  # of checkpoints: their iterations


class ReadableCheckpoints(ocp.path.step.NameFormat):
    """Finds the checkpoints of a folder, by their iterations, whose descriptions are whole."""

    def build_name(self, step: int) -> str:
        return _STANDARD_NAMES().build_name(step)

    def find_all(self, base_path: str) -> Iterator[ocp.path.step.Metadata]:
        found = _STANDARD_NAMES().find_all(base_path)
        return (checkpoint for checkpoint in found if not _fault(checkpoint))

    def find_step(self, base_path: str, step: int) -> ocp.path.step.Metadata:
        return _STANDARD_NAMES().find_step(base_path, step)


def unreadable_checkpoints(folder: pathlib.Path) -> dict[int, str]:
    """Returns why descriptions are damaged, by the iterations of their checkpoints."""
    found = _STANDARD_NAMES().find_all(folder) if folder.is_dir() else ()
    return {checkpoint.step: fault for checkpoint in found if (fault := _fault(checkpoint))}


def read_saved(
    manager: ocp.CheckpointManager, iteration: int, **items: ocp.args.CheckpointArgs
) -> ocp.args.Composite:
    """Returns the items of a checkpoint, as attributes.

    Args:
      manager: The manager of the folder.
      iteration: The iteration of an existing checkpoint.
      **items: Name of each item to its arguments for restoring.

    Raises:
      ValueError: An item cannot be read; the text is one line.
    """
    with _quiet():
        try:
            return manager.restore(iteration, args=ocp.args.Composite(**items))
        except Exception:  # a damaged file can raise any kind, with texts of TensorStore
            reason = "its files cannot be read, or its arrays have other shapes"
        gc.collect()  # frees abandoned reads here, where the messages of their ends are dropped
    raise ValueError(reason)


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


@dataclasses.dataclass(frozen=True)
class _FilteredHook:
    """A hook of errors that cannot be raised, which those of late reads do not reach."""

    hook: Callable[["sys.UnraisableHookArgs"], object]

    def __call__(self, unraisable: "sys.UnraisableHookArgs") -> None:
        if not str(unraisable.exc_value).startswith(_LATE):
            self.hook(unraisable)


def ignore_late_errors() -> None:
    """Suppresses, from now on, the messages of Orbax's threads that end after their error is known.

    At the first damaged array Orbax closes its event loop, but TensorStore's threads still report
    to it. A read that has ended by then logs to asyncio when it is freed, and so does a second
    write that a full disk refuses; the others raise errors that cannot be caught. Orbax's own
    threads log errors that it raises too. Python warns of a task never started.
    """
    if not isinstance(sys.unraisablehook, _FilteredHook):  # a process may call this again
        sys.unraisablehook = _FilteredHook(sys.unraisablehook)
    logging.getLogger("asyncio").addFilter(_is_not_of_a_task)
    logging.getLogger("absl").addFilter(_is_not_of_a_thread)
    warnings.filterwarnings("ignore", _NEVER_STARTED, RuntimeWarning)


def _is_not_of_a_task(record: logging.LogRecord) -> bool:
    """Tells whether a record is not of a task of TensorStore or Orbax, which raises its error."""
    text = logging.Formatter().format(record)  # with the traceback: a task may name no file
    return not any(mark in text for mark in _OF_A_TASK)


def _is_not_of_a_thread(record: logging.LogRecord) -> bool:
    return "_SignalingThread.run() raised" not in record.getMessage()


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Suppresses the messages of asyncio, and those of errors that cannot be caught."""
    logger, hook = logging.getLogger("asyncio"), sys.unraisablehook
    level = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    sys.unraisablehook = lambda unraisable: None
    try:
        yield
    finally:
        logger.setLevel(level)
        sys.unraisablehook = hook
