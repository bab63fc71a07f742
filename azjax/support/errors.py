"""Errors whose text is one line for the user: what is wrong, and what to do."""

import contextlib
import pathlib
import textwrap
from collections.abc import Iterator


class InputError(Exception):
    """The input is wrong: an argument, a configuration, a file or a folder."""


class RunError(Exception):
    """A run cannot continue; the text says what is saved."""


def one_line(error: BaseException) -> str:
    """Returns an error's text as one line; what a damaged file has put into it is cut."""
    return textwrap.shorten(str(error), 1000, placeholder=" ...")


def first_line(error: Exception, width: int = 120) -> str:
    """Returns the first line of an error's text, shortened between words."""
    line = next(iter(str(error).strip().splitlines()), repr(error))
    return textwrap.shorten(line, width, placeholder=" ...")


@contextlib.contextmanager
def reading_errors(path: pathlib.Path, hint: str = "") -> Iterator[None]:
    """Converts what reading a file raises into an InputError that names it.

    Wrap what takes the content of the file apart, and nothing else: damage raises errors of the
    kinds that bugs raise too. The message ends with the hint, which says what to do.
    """
    try:
        yield
    except (OSError, AttributeError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path} cannot be read: {_reason(error)}{hint}") from error


@contextlib.contextmanager
def writing_errors(path: pathlib.Path) -> Iterator[None]:
    """Converts an OSError of a file or a folder that the user has named into an InputError."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{path} cannot be written: {_reason(error)}") from error


def _reason(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"it has no {error}"
    return getattr(error, "strerror", None) or str(error)


@contextlib.contextmanager
def input_errors(subject: str = "") -> Iterator[None]:
    """Converts a ValueError raised inside into an InputError.

    Wrap checks of the user's input only, so that a ValueError caused by a bug keeps its traceback.
    The message begins with its subject, such as a player's name.
    """
    try:
        yield
    except ValueError as error:
        raise InputError(f"{subject}: {error}" if subject else str(error)) from error
