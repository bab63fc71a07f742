"""Errors of writing a run: one line that says what failed, and what of the run is saved."""

import contextlib
from collections.abc import Iterator

from azjax.runs.storage.checkpoints import last_checkpoint
from azjax.runs.storage.run_directory import RunDirectory
from azjax.support.errors import RunError


@contextlib.contextmanager
def run_write_errors(run: RunDirectory) -> Iterator[None]:
    """Converts an OSError raised inside into a RunError that names the last good checkpoint.

    A closed output is no error of the run: a BrokenPipeError passes. Neither is a write that fails
    because another worker has taken the run, and cleared away what was half written.

    Raises:
      TakenError: Another worker has taken the run.
      RunError: A file cannot be written.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        if run.owner:
            with contextlib.suppress(OSError):  # the disk cannot be read either
                run.owner.check()
        what = f"{error.filename or run.path}: {error.strerror}" if error.strerror else error
        raise RunError(f"{what}; {saved_until(run)}") from error


def saved_until(run: RunDirectory) -> str:
    """Returns a phrase that names the last good checkpoint of a run."""
    iteration = last_checkpoint(run.checkpoints)
    if iteration is None:
        return "there is no checkpoint yet"
    return f"the last good checkpoint is {iteration}"
