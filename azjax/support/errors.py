"""Errors that are the user's to mend: one line that says what is wrong and what would be right."""

import contextlib
import textwrap


class InputError(Exception):
    """What was asked for cannot be done; its text is one line for a person."""


class RunError(Exception):
    """A run could not go on; its text is one line that says what is kept."""


def in_short(error: Exception) -> str:
    """Returns the first line of what an error of any kind says, cut between words."""
    first = next(iter(str(error).strip().splitlines()), repr(error))
    return textwrap.shorten(first, 120, placeholder=" ...")


@contextlib.contextmanager
def input_errors():
    """Turns the ValueError of a check inside into an InputError.

    Used around the reading of what a person wrote, and nothing else, so that a ValueError from a
    fault of the program keeps its traceback.
    """
    try:
        yield
    except ValueError as error:
        raise InputError(str(error)) from error
