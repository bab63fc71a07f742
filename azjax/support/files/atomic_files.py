"""Durable writes: a file is replaced as a whole, and what was written survives a power failure.

A rename survives once the folder is synchronized, so the order is: file, rename, folder.
"""

import contextlib
import errno
import os
import pathlib
import secrets
from collections.abc import Callable, Iterator
from typing import Any, TextIO


@contextlib.contextmanager
def atomic_write(
    path: pathlib.Path, confirm: Callable[[], None] = lambda: None
) -> Iterator[pathlib.Path]:
    """Yields a temporary file to write; on success it replaces `path` in one step.

    Args:
      path: The file.
      confirm: Called when the temporary file is on disk; an error that it raises leaves `path`.
    """
    # Other processes, also of other machines, may write it too.
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        yield unfinished
        sync(unfinished)
        confirm()
        unfinished.replace(path)
        sync(path.parent)
    finally:
        unfinished.unlink(missing_ok=True)


def write_text_atomically(
    path: pathlib.Path, text: str, confirm: Callable[[], None] = lambda: None
) -> None:
    """Writes a text file in one step as `atomic_write` does; a file of that name is replaced."""
    with atomic_write(path, confirm) as unfinished:
        unfinished.write_text(text, encoding="utf-8", errors="backslashreplace", newline="")


def write_figure(figure: Any, path: pathlib.Path, **settings: Any) -> None:
    """Writes a figure of Matplotlib in one step, with further settings of `Figure.savefig`."""
    with atomic_write(path) as unfinished:
        figure.savefig(unfinished, format=path.suffix[1:], **settings)


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
