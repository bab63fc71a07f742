"""The process of every command: JAX's settings, and exit codes with errors in one line."""

import contextlib
import errno
import io
import logging
import os
import pathlib
import signal
import sys
from collections.abc import Iterator
from typing import TextIO, cast

import jax

from azjax.distributed.group import own_group
from azjax.distributed.join import join
from azjax.runs.storage.late_errors import ignore_late_errors
from azjax.support.errors import InputError, RunError, one_line
from azjax.support.losable_output import LosableOutput, LostOutputError
from azjax.support.machine.compilation_cache import use_compilation_cache
from azjax.support.machine.devices import device_errors, use_all_cores
from azjax.support.machine.jax_settings import use_own_settings
from azjax.support.signals import INTERRUPTED, interrupts


def prepare_jax() -> None:
    """Sets JAX up: a device for each core, and a cache of compiled programs on disk.

    A process of a group joins it here, before anything is computed.
    """
    logging.getLogger("absl").setLevel(logging.ERROR)  # Orbax logs every save
    ignore_late_errors()
    use_all_cores()
    use_compilation_cache()
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.5)
    if group := own_group():
        join(group)


def go_on_without_output() -> None:
    """Lets a command go on where its output is lost: the files that it makes are worth more."""
    if isinstance(sys.stdout, LosableOutput):
        sys.stdout.is_needed = False


@contextlib.contextmanager
def interrupted_with(hint: str) -> Iterator[None]:
    """Adds to the line about Ctrl-C how to go on."""
    try:
        yield
    except KeyboardInterrupt as stop:
        raise KeyboardInterrupt(hint) from stop


@contextlib.contextmanager
def exit_with_one_line() -> Iterator[None]:
    """Exits with 2 on bad input, 1 on a failed run, INTERRUPTED on Ctrl-C; prints one line.

    Where the output that a command needs is a closed pipe, it exits with 1 and prints nothing.
    """
    use_own_settings()
    with _losable_streams():
        try:
            with interrupts(signal.SIGINT), device_errors():
                try:
                    yield
                finally:
                    sys.stdout.flush()  # at the interpreter's exit it would fail in several lines
        except (InputError, RunError, OSError) as error:  # OSError: a full disk, say
            has_no_reader = isinstance(error, LostOutputError) and error.errno == errno.EPIPE
            if not has_no_reader:
                print(f"azjax: error: {one_line(error)}", file=sys.stderr)
            sys.exit(2 if isinstance(error, InputError) else 1)
        except KeyboardInterrupt as stop:  # its arguments say how to resume
            print(": ".join(["azjax: interrupted", *map(str, stop.args)]), file=sys.stderr)
            sys.exit(INTERRUPTED)


@contextlib.contextmanager
def _losable_streams() -> Iterator[None]:
    """Replaces both streams: a closed one writes nowhere, what one cannot encode is escaped."""
    streams = sys.stdout, sys.stderr
    with pathlib.Path(os.devnull).open("w") as nowhere:
        output, error = (stream or nowhere for stream in streams)  # None if they are closed
        for stream in (output, error):
            if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
                stream.reconfigure(errors="backslashreplace")
        sys.stdout = cast(TextIO, LosableOutput(output, "standard output", is_needed=True))
        sys.stderr = cast(TextIO, LosableOutput(error, "standard error"))
        try:
            yield
        finally:
            sys.stdout, sys.stderr = streams
            _let_go(output)
            _let_go(error)


def _let_go(stream: TextIO) -> None:
    """Redirects a stream that cannot be flushed to nowhere: Python flushes it again at its exit."""
    try:
        stream.flush()
    except OSError:
        with pathlib.Path(os.devnull).open("w") as nowhere:
            os.dup2(nowhere.fileno(), stream.fileno())
