"""Reads Orbax checkpoints such that a damaged file causes one error and no other output."""

import contextlib
import gc
import logging
import sys
from collections.abc import Iterator

import orbax.checkpoint as ocp

from azjax.support.errors import first_line

# How the messages of abandoned reads begin.
_LATE = ("Event loop is closed", "Encountered error while reading array index")


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
        except Exception as error:  # a damaged file can raise any kind
            reason = first_line(error)
        gc.collect()  # frees abandoned reads here, where the messages of their ends are dropped
    raise ValueError(reason)


def ignore_late_errors() -> None:
    """Suppresses, from now on, the messages of Orbax's threads that end after their error is known.

    At the first damaged array Orbax closes its event loop, but TensorStore's threads still report
    to it. A read that has ended by then logs to asyncio when it is freed; the others raise errors
    that cannot be caught. Orbax's own threads log errors that it raises too.
    """
    hook = sys.unraisablehook

    def filtered_hook(unraisable: "sys.UnraisableHookArgs") -> None:
        if not str(unraisable.exc_value).startswith(_LATE):
            hook(unraisable)

    sys.unraisablehook = filtered_hook
    logging.getLogger("asyncio").addFilter(_is_not_of_a_read)
    logging.getLogger("absl").addFilter(_is_not_of_a_thread)


def _is_not_of_a_read(record: logging.LogRecord) -> bool:
    return "tensorstore_spec" not in record.getMessage()


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
