"""Files of JSON lines, an object in each.

A process that is killed may leave a part of a line at the end. What follows the last newline is
therefore not written yet: readers leave it out, and the next row replaces it.
"""

import json
import pathlib
from collections.abc import Iterable
from typing import Any

from azjax.support.files.atomic_files import append_line
from azjax.support.files.file_locks import lock
from azjax.support.files.reading import parse_json, read_text


def read_json_lines(path: pathlib.Path) -> list[Any]:
    """Returns the values of the lines of a file; empty lines and an incomplete last are left out.

    Raises:
      OSError: The file cannot be read.
      ValueError: It is no text, or another line of it is no JSON.
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


def append_json_line(path: pathlib.Path, row: Any) -> None:
    """Appends a row to a file, which is created if missing; the row is on disk then.

    Several processes may append to one file.
    """
    with path.open("a", encoding="utf-8") as file:
        lock(file.fileno(), waits=True)  # else an incomplete line may be one that is being written
        file.truncate(path.read_bytes().rfind(b"\n") + 1)
        append_line(file, json.dumps(row))
