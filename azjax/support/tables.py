"""Tidy tables, a row for each observation, a column for each variable: as CSV and in Markdown."""

import csv
import io
import pathlib
from typing import Any

from azjax.support.atomic_files import write_text_atomically

Row = dict[str, Any]  # a value for each column


def write_table(path: pathlib.Path, rows: list[Row]) -> None:
    """Writes rows, whole or not at all; a column that a row does not have is empty there."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, fieldnames=columns)
    writer.writeheader()
    writer.writerows(rows)
    write_text_atomically(path, text.getvalue())


def read_table(path: pathlib.Path) -> list[Row]:
    """Returns the rows that `write_table` wrote, numbers as numbers."""
    with path.open(newline="", encoding="utf-8") as file:
        return [{k: _number_or_text(v) for k, v in row.items()} for row in csv.DictReader(file)]


def markdown_table(header: list[str], rows: list[list[str]]) -> str:
    """Returns a table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _number_or_text(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
