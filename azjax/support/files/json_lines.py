"""Files of JSON lines, an object in each.

A process that is killed may leave a part of a line at the end. What follows the last newline is
therefore not written yet: readers leave it out, and the next row replaces it. Empty lines, as an
editor may add at the end, hold nothing.
"""

import json
import pathlib
from collections.abc import Iterable
from typing import Any

from azjax.support.files.atomic_files import append_line, write_text_atomically
from azjax.support.files.file_locks import wait_for_lock
from azjax.support.files.reading import parse_json, read_text


def read_json_lines(path: pathlib.Path) -> list[Any]:
    """Returns the values of the lines of a file; empty lines and an incomplete last are left out.

    Any other line that is no JSON is damage.

    Raises:
      OSError: The file cannot be read.
      ValueError: It is too large, or a line of it is as `parse_json` refuses it.
    """
    values = []
    for number, line in enumerate(read_text(path).split("\n")[:-1], 1):
        if not line.strip():
            continue
        try:
            values.append(parse_json(line))
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from error
    return values


def json_lines(rows: Iterable[Any]) -> str:
    """Returns a text with a line for each row."""
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def write_json_lines(path: pathlib.Path, rows: Iterable[Any]) -> None:
    """Writes a file of a line for each row in one step; a file of that name is replaced."""
    write_text_atomically(path, json_lines(rows))


def append_json_line(path: pathlib.Path, row: Any) -> None:
    """Appends a row to a file, which is created if missing; the row is on disk then.

    Several processes may append to one file.

    Raises:
      OSError: The file cannot be read or written.
    """
    with path.open("a", encoding="utf-8") as file:
        wait_for_lock(file.fileno())  # else an incomplete line may be one that is being written
        file.truncate(path.read_bytes().rfind(b"\n") + 1)
        append_line(file, json.dumps(row))
