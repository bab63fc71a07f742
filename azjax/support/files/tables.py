"""Tidy tables, with a row per observation and a column per variable, as CSV and in Markdown."""

import csv
import io
import pathlib
from typing import Any

from azjax.support.errors import reading_errors
from azjax.support.files.atomic_files import write_text_atomically
from azjax.support.files.reading import read_csv

# Column name to value: a number, a text, or None where the number is missing.
Row = dict[str, Any]


def write_table(path: pathlib.Path, rows: list[Row]) -> None:
    """Writes rows in one step; a cell is empty where a row lacks the column."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, fieldnames=columns)
    writer.writeheader()
    writer.writerows(rows)
    write_text_atomically(path, text.getvalue())


def read_table(path: pathlib.Path) -> list[Row]:
    """Returns the rows that `write_table` wrote, with numbers converted.

    Raises:
      InputError: The file cannot be read.
    """
    with reading_errors(path, "; delete it to go on without"):
        rows = read_csv(path)
    return [{k: _number_or_text(v) for k, v in row.items()} for _, row in rows]


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
