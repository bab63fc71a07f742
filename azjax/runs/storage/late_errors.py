"""The reports of errors of Orbax that were raised already; commands start without Orbax."""

import logging
import sys
import warnings

# What reports of an error have that was raised already: in their texts or in their tracebacks.
_KNOWN_ALREADY = (
    "Event loop is closed",
    "Encountered error while reading array index",
    "tensorstore_spec",
    "os_error_code",
    "/orbax/",
    "_SignalingThread.run() raised",
)
_NEVER_STARTED = r"coroutine '\S*serialize"  # how a warning of Python about such a task begins


def ignore_late_errors() -> None:
    """Suppresses, from now on, the reports of errors of Orbax that were raised already.

    At the first damaged array, or at a full disk, Orbax closes its event loop, but the threads of
    TensorStore still report to it: to `sys.unraisablehook`, to the logs of asyncio and absl, and by
    a warning of Python.
    """
    hook = sys.unraisablehook
    if not getattr(hook, "ignores_late_errors", False):  # a process may call this again

        def unless_known(unraisable: "sys.UnraisableHookArgs") -> None:
            if not str(unraisable.exc_value).startswith(_KNOWN_ALREADY):
                hook(unraisable)

        unless_known.ignores_late_errors = True  # type: ignore[attr-defined]
        sys.unraisablehook = unless_known
    for name in ("asyncio", "absl"):
        logging.getLogger(name).addFilter(_is_new)
    warnings.filterwarnings("ignore", _NEVER_STARTED, RuntimeWarning)


def _is_new(record: logging.LogRecord) -> bool:
    """Tells whether a record is of no error of Orbax that was raised already."""
    text = logging.Formatter().format(record)  # with the traceback: a task may name no file
    return not any(mark in text for mark in _KNOWN_ALREADY)
