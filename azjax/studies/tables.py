"""Tidy tables as CSV files: a row for each observation, a column for each variable."""

import csv
import pathlib

from azjax.runs.metrics import Row


def write_table(path: pathlib.Path, rows: list[Row]) -> None:
    """Writes rows that have the same columns, whole or not at all."""
    whole = path.with_suffix(".new")
    with whole.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    whole.replace(path)


def read_table(path: pathlib.Path) -> list[Row]:
    """Returns the rows that `write_table` wrote, numbers as numbers."""
    with path.open(newline="", encoding="utf-8") as file:
        return [{k: _number_or_text(v) for k, v in row.items()} for row in csv.DictReader(file)]


def _number_or_text(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
