"""Reads files that may be damaged or crafted: every size is checked before it is believed.

Whatever a file holds, a reader returns its content or raises an OSError, or a ValueError of one
line. It never recurses, allocates or unpacks beyond its limits.
"""

import csv
import io
import json
import math
import pathlib
import re
import sys
import tomllib
import zipfile
import zlib
from importlib.resources.abc import Traversable
from typing import Any

import numpy as np

from azjax.support.errors import first_line

_MAX_TEXT_BYTES = 256 * 2**20  # a million rows of metrics
_MAX_ARRAY_BYTES = 2**30  # unpacked, all arrays of a file; 500 million numbers in half precision
_MAX_ARRAYS = 10_000
_MAX_DEPTH = 32  # of tables and lists in each other
_LARGEST_INTEGER = 2**63 - 1
_SURPLUS = "\n"  # no column has this name
_ARRAY_SUFFIX = ".npy"
# What NumPy writes for an array of floats, integers, booleans or text, in versions 1 and 2.
_HEADER = re.compile(
    rb"\x93NUMPY(?:\x01\x00..|\x02\x00....)"
    rb"\{'descr': '([<>|][fiubU]\d{1,9})', 'fortran_order': (False|True), "
    rb"'shape': \(((?:\d{1,12}, ){0,31}(?:\d{1,12},?)?)\), \} *\n",
    re.DOTALL,
)
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # others may need much memory
_BAD_ARCHIVE = (
    EOFError,
    KeyError,
    NotImplementedError,
    RuntimeError,  # a password is needed
    TypeError,  # NumPy has no such type
    zipfile.BadZipFile,
    zlib.error,
)


def read_text(path: pathlib.Path | Traversable) -> str:
    """Returns the content of a text file in UTF-8, without a byte order mark.

    Raises:
      OSError: The file cannot be read.
      ValueError: It is too large, or no such text.
    """
    with path.open("rb") as file:
        content = file.read(_MAX_TEXT_BYTES + 1)
    if len(content) > _MAX_TEXT_BYTES:
        raise ValueError(f"it has more than {_MAX_TEXT_BYTES} bytes")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"it is no text in UTF-8 (byte {error.start})") from error


def read_json(path: pathlib.Path) -> Any:
    """Returns the content of a JSON file.

    Raises:
      OSError: The file cannot be read.
      ValueError: It is too large, or as `parse_json`.
    """
    return parse_json(read_text(path))


def parse_json(text: str) -> Any:
    """Returns the value of a text in JSON.

    Raises:
      ValueError: It is no JSON, is nested too deeply, or has a number that is too large.
    """
    try:
        value = json.loads(text, parse_float=_finite, parse_constant=_refuse_constant)
    except RecursionError as error:
        raise _too_deep() from error
    except ValueError as error:
        raise ValueError(f"it is no JSON: {first_line(error)}") from error
    _check(value)
    return value


def read_toml(path: pathlib.Path | Traversable) -> dict[str, Any]:
    """Returns the table of a TOML file.

    Raises:
      OSError: The file cannot be read.
      ValueError: It is too large, is no TOML, is nested too deeply, or has a number that is too
        large.
    """
    text = read_text(path)
    try:
        table = tomllib.loads(text)
    except RecursionError as error:
        raise _too_deep() from error
    _check(table)
    return table


def read_csv(path: pathlib.Path) -> list[tuple[int, dict[str, str]]]:
    """Returns the rows of a CSV file with a header, each with the number of its line.

    Cells are separated by commas, semicolons or tabs: what is most frequent in the header. Blanks
    around them are left out, and so are cells beyond the header; missing ones are empty.

    Raises:
      OSError: The file cannot be read.
      ValueError: It is too large, or no CSV.
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
    """Returns the arrays of a NumPy archive by name.

    Raises:
      OSError: The file cannot be read.
      ValueError: It is no such archive, it is damaged, or its arrays are too large.
    """
    with path.open("rb") as file:
        if path.stat().st_size > _MAX_ARRAY_BYTES:
            raise ValueError(f"it has more than {_MAX_ARRAY_BYTES} bytes")
        if not zipfile.is_zipfile(file):
            raise ValueError("it is no archive")
        try:
            with zipfile.ZipFile(file) as archive:
                members = archive.infolist()
                _check_members(members)
                return {
                    member.filename.removesuffix(_ARRAY_SUFFIX): _parse_array(archive.read(member))
                    for member in members
                }
        except _BAD_ARCHIVE as error:
            raise ValueError(first_line(error)) from error


def _check_members(members: list[zipfile.ZipInfo]) -> None:
    """Raises ValueError unless the members may be unpacked; that ends at their declared size."""
    if len(members) > _MAX_ARRAYS:
        raise ValueError(f"it has {len(members)} arrays, more than {_MAX_ARRAYS}")
    if any(member.compress_type not in _METHODS for member in members):
        raise ValueError("its arrays are compressed in a way that NumPy does not use")
    size = sum(member.file_size for member in members)
    if size > _MAX_ARRAY_BYTES:
        raise ValueError(f"its arrays unpack to {size} bytes, more than {_MAX_ARRAY_BYTES}")


def _parse_array(content: bytes) -> np.ndarray:
    """Returns the array of a `.npy` file, whose header must declare what follows it.

    NumPy's own reader evaluates the header as Python, and allocates what it declares.
    """
    start = content.find(b"\n") + 1
    header = _HEADER.fullmatch(content[:start])
    if header is None:
        raise ValueError("the header of an array is damaged")
    kind, is_fortran, sizes = (group.decode() for group in header.groups())
    shape = tuple(int(size) for size in sizes.split(",") if size.strip())
    dtype, data = np.dtype(kind), content[start:]
    if math.prod(shape) * dtype.itemsize != len(data):
        raise ValueError(f"an array of {len(data)} bytes declares the shape {shape} of {dtype}")
    if dtype.kind == "U":
        characters = np.frombuffer(data, np.dtype("u4").newbyteorder(dtype.byteorder))
        if (characters > sys.maxunicode).any():  # NumPy would raise a SystemError
            raise ValueError("an array has characters that do not exist")
    return np.frombuffer(data, dtype).reshape(shape, order="F" if is_fortran == "True" else "C")


def _check(value: Any) -> None:
    """Raises ValueError if a value is nested too deeply, or a number or a text is out of range."""
    left = [(value, 1)]
    while left:
        value, depth = left.pop()
        if depth > _MAX_DEPTH:
            raise _too_deep()
        if isinstance(value, dict | list):
            inner = [*value, *value.values()] if isinstance(value, dict) else value
            left.extend((item, depth + 1) for item in inner)
        elif isinstance(value, str):
            # Half a character raises ValueError; a byte of a name that is no UTF-8 does not.
            value.encode(errors="surrogateescape")
        elif isinstance(value, int) and abs(value) > _LARGEST_INTEGER:
            raise ValueError("an integer in it has more than 64 bits")


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"{text} is too large for a number")
    return value


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no number in JSON")


def _too_deep() -> ValueError:
    return ValueError(f"its tables and lists are nested more than {_MAX_DEPTH} deep")
