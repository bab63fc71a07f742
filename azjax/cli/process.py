"""The process of every command: JAX's settings, and exit codes with errors in one line."""

import contextlib
import logging
import os
import signal
import sys
from collections.abc import Iterator

import jax

from azjax.distributed.join import join
from azjax.distributed.supervised import end_with_supervisor, supervised_group
from azjax.runs.storage.orbax_reading import ignore_late_errors
from azjax.support.errors import InputError, RunError, one_line
from azjax.support.machine.compilation_cache import use_compilation_cache
from azjax.support.machine.devices import device_errors, use_all_cores
from azjax.support.machine.jax_settings import use_own_settings
from azjax.support.signals import INTERRUPTED, interrupts


def prepare_jax() -> None:
    """Sets JAX up: azjax's settings, a device for each core, a cache of compiled programs on disk.

    A process of a group joins it here, before anything is computed.
    """
    logging.getLogger("absl").setLevel(logging.ERROR)  # Orbax logs every save
    ignore_late_errors()
    use_own_settings()
    use_all_cores()
    use_compilation_cache()
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.5)
    if group := supervised_group():
        end_with_supervisor()
        join(group)


def _drop_output() -> None:
    """Lets go of output that cannot be written, so that it is not flushed again."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextlib.contextmanager
def exit_with_one_line() -> Iterator[None]:
    """Exits with 2 on bad input, 1 on a failed run, INTERRUPTED on Ctrl-C; prints one line.

    It prints nothing if the output is a closed pipe.
    """
    try:
        with interrupts(signal.SIGINT), device_errors():
            try:
                yield
            finally:
                sys.stdout.flush()  # at the interpreter's exit it would fail in several lines
    except BrokenPipeError:  # the reader of the output, such as `head`, has ended
        _drop_output()
        sys.exit(1)
    except (InputError, RunError, OSError) as error:  # OSError: a full disk, say
        _drop_output()
        print(f"azjax: error: {one_line(error)}", file=sys.stderr)
        sys.exit(2 if isinstance(error, InputError) else 1)
    except KeyboardInterrupt as stop:  # its arguments say how to resume
        print(": ".join(["azjax: interrupted", *map(str, stop.args)]), file=sys.stderr)
        sys.exit(INTERRUPTED)
