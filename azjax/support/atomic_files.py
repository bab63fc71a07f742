"""Files that are there whole or not at all, whoever is killed and whoever else writes them."""

import contextlib
import os
import pathlib
from collections.abc import Iterator


@contextlib.contextmanager
def atomic_write(path: pathlib.Path) -> Iterator[pathlib.Path]:
    """Gives a file to write, which takes the path in one step once it is written."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")  # other workers may write it too
    try:
        yield unfinished
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def write_text_atomically(path: pathlib.Path, text: str) -> None:
    """Writes a text file in one step, over what was there before."""
    with atomic_write(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8", newline="")
