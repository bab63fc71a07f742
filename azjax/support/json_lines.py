"""Files of JSON lines, an object in each: how they are written; `bounded_files` reads them."""

import json
import pathlib
from collections.abc import Iterable
from typing import Any

from azjax.support.atomic_files import append_line, write_text_atomically


def write_json_lines(path: pathlib.Path, rows: Iterable[Any]) -> None:
    """Writes a file of a line for each row in one step; a file of that name is replaced."""
    write_text_atomically(path, "".join(f"{json.dumps(row)}\n" for row in rows))


def append_json_line(path: pathlib.Path, row: Any) -> None:
    """Appends a row to a file, which is created if missing; the row is on disk then."""
    with path.open("a", encoding="utf-8") as file:
        append_line(file, json.dumps(row))
