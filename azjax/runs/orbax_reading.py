"""Reads of what Orbax has saved, of which a damaged file leaves nothing behind but an error."""

import contextlib
import gc
import logging
import sys
from collections.abc import Iterator
from typing import Any

import orbax.checkpoint as ocp

from azjax.support.errors import first_line

# What reads say that nobody waits for any more.
_LATE = ("Event loop is closed", "Encountered error while reading array index")


def read_saved(manager: ocp.CheckpointManager, iteration: int, **items: Any) -> Any:
    """Returns the items that were saved at an iteration.

    Args:
      manager: Of the folder.
      iteration: There is something of it.
      **items: How to read each, as an argument of Orbax's.

    Raises:
      ValueError: It cannot be read; its text is one line.
    """
    with _quiet():
        try:
            return manager.restore(iteration, args=ocp.args.Composite(**items))
        except Exception as error:  # whatever a damaged file makes a reader raise
            reason = first_line(error)
        gc.collect()  # the reads that were still under way: each would complain when it is freed
    raise ValueError(reason)


def ignore_late_reads() -> None:
    """Keeps quiet, from now on, about reads that end after Orbax has given them up.

    At the first damaged array it closes the event loop, to which TensorStore's threads report
    whenever they come to it. A read that had ended by then tells asyncio when it is freed, and who
    waited for it raises its error where nobody can catch it.
    """
    tell = sys.unraisablehook

    def tell_the_rest(unraisable: Any) -> None:
        if not str(unraisable.exc_value).startswith(_LATE):
            tell(unraisable)

    sys.unraisablehook = tell_the_rest
    logging.getLogger("asyncio").addFilter(_is_of_no_read)


def _is_of_no_read(record: logging.LogRecord) -> bool:
    return "tensorstore_spec" not in record.getMessage()


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keeps asyncio, and whoever tells of errors that nobody can catch, from printing."""
    log, tell = logging.getLogger("asyncio"), sys.unraisablehook
    level = log.level
    log.setLevel(logging.CRITICAL + 1)
    sys.unraisablehook = lambda unraisable: None
    try:
        yield
    finally:
        log.setLevel(level)
        sys.unraisablehook = tell
