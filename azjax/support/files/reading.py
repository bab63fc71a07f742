"""Reads files that may be damaged: a reader returns their content, or raises an error of one line.

That is an OSError where the file cannot be read, or a ValueError that says what is wrong with it.
"""

import csv
import io
import json
import pathlib
import tomllib
import zipfile
from importlib.resources.abc import Traversable
from typing import Any

import numpy as np

from azjax.support.errors import first_line

_SURPLUS = "\n"  # no column has this name


def read_text(path: pathlib.Path | Traversable) -> str:
    """Returns the content of a text file in UTF-8, without a byte order mark."""
    return path.read_text(encoding="utf-8-sig")


def read_json(path: pathlib.Path) -> Any:
    """Returns the content of a JSON file."""
    return parse_json(read_text(path))


def parse_json(text: str) -> Any:
    """Returns the value of a text in JSON; raises ValueError if it is none."""
    try:
        return json.loads(text)
    except (RecursionError, ValueError) as error:
        raise ValueError(f"it is no JSON: {first_line(error)}") from error


def read_toml(path: pathlib.Path | Traversable) -> dict[str, Any]:
    """Returns the table of a TOML file."""
    return tomllib.loads(read_text(path))


def read_csv(path: pathlib.Path) -> list[tuple[int, dict[str, str]]]:
    """Returns the rows of a CSV file with a header, each with the number of its line.

    Cells are separated by commas, semicolons or tabs: what is most frequent in the header. Blanks
    around them are left out, and so are cells beyond the header; missing ones are empty.
    """
    text = read_text(path)
    separator = max(",;\t", key=text.partition("\n")[0].count)
    lines = io.StringIO(text, newline="")
    reader = csv.DictReader(
        lines, restkey=_SURPLUS, restval="", delimiter=separator, skipinitialspace=True
    )
    rows = []
    try:
        for row in reader:
            row.pop(_SURPLUS, None)
            cells = {name.strip(): cell.strip() for name, cell in row.items()}
            rows.append((reader.line_num, cells))
    except csv.Error as error:
        raise ValueError(f"line {reader.line_num + 1}: {error}") from error
    return rows


def read_arrays(path: pathlib.Path) -> dict[str, np.ndarray]:
    """Returns the arrays of a NumPy archive by name."""
    with path.open("rb") as file:
        if not zipfile.is_zipfile(file):
            raise ValueError("it is no archive")
        file.seek(0)
        try:
            with np.load(file, allow_pickle=False) as archive:
                return {name: archive[name] for name in archive.files}
        except Exception as error:  # damage raises errors of many kinds
            raise ValueError(first_line(error)) from error
