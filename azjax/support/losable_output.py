"""A text stream that may be lost: its terminal closes, `head` has read enough, a disk is full."""

import contextlib
import sys
from collections.abc import Callable
from typing import Any, TextIO


class LostOutputError(OSError):
    """Output that is needed cannot be written; no BrokenPipeError, at which Rich would exit."""


class LosableOutput:
    """Writes to a stream, and drops what follows the first error."""

    def __init__(self, stream: TextIO, name: str, *, is_needed: bool = False):
        """Writes to `stream`, whose loss raises a LostOutputError if it is needed."""
        self.is_needed = is_needed
        self._stream, self._name = stream, name
        self._is_lost = False

    def write(self, text: str) -> int:
        """Writes a text, or drops it."""
        self._try(self._stream.write, text)
        return len(text)

    def flush(self) -> None:
        """Flushes the stream, unless it is lost."""
        self._try(self._stream.flush)

    def __getattr__(self, name: str) -> Any:
        """Returns what else the stream has."""
        return getattr(self._stream, name)

    def _try(self, function: Callable[..., object], *arguments: str) -> None:
        if self._is_lost:
            return
        try:
            function(*arguments)
        except OSError as error:
            self._is_lost = True
            if self.is_needed:
                raise LostOutputError(error.errno, error.strerror, self._name) from error
            note = f"azjax: {self._name}: {error.strerror}; going on without it"
            with contextlib.suppress(OSError):  # it may be lost too
                print(note, file=sys.stderr)
