"""Atomic writes: a file is replaced as a whole, even if the process is killed while it writes."""

import contextlib
import os
import pathlib
from collections.abc import Iterator


@contextlib.contextmanager
def atomic_write(path: pathlib.Path) -> Iterator[pathlib.Path]:
    """Yields a temporary file to write; on success it replaces `path` in one step."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")  # other processes may write it too
    try:
        yield unfinished
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def write_text_atomically(path: pathlib.Path, text: str) -> None:
    """Writes a text file in one step; a file of that name is replaced."""
    with atomic_write(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8", newline="")
