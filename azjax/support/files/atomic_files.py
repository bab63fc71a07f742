"""Durable writes: a file is replaced as a whole, and what was written survives a power failure.

A rename survives once the folder is synchronized, so the order is: file, rename, folder.
"""

import contextlib
import errno
import os
import pathlib
from collections.abc import Iterator
from typing import TextIO


@contextlib.contextmanager
def atomic_write(path: pathlib.Path) -> Iterator[pathlib.Path]:
    """Yields a temporary file to write; on success it replaces `path` in one step."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")  # other processes may write it too
    try:
        yield unfinished
        sync(unfinished)
        unfinished.replace(path)
        sync(path.parent)
    finally:
        unfinished.unlink(missing_ok=True)


def write_text_atomically(path: pathlib.Path, text: str) -> None:
    """Writes a text file in one step; a file of that name is replaced."""
    with atomic_write(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8", newline="")


def append_line(file: TextIO, line: str) -> None:
    """Appends a line, which is on disk then; a process that is killed may leave a part of it."""
    file.write(f"{line}\n")
    file.flush()
    os.fsync(file.fileno())


def sync(path: pathlib.Path) -> None:
    """Waits until the content of a file, or the entries of a folder, are on disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # the file system does not synchronize folders
            raise
    finally:
        os.close(descriptor)


def sync_tree(folder: pathlib.Path) -> None:
    """Waits until a folder, everything in it, and its entry in its parent are on disk."""
    for below, _, names in os.walk(folder):
        for name in names:
            sync(pathlib.Path(below, name))
        sync(pathlib.Path(below))
    sync(folder.parent)
