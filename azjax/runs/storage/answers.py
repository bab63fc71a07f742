"""The answers of a run's evaluations, where positions are sampled: right or wrong in each position.

Intervals that include the sampling of positions need them. A line of JSON holds an evaluation, its
bits packed in hexadecimal.
"""

import pathlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from azjax.evaluation import Answers
from azjax.support.errors import reading_errors
from azjax.support.files.json_lines import append_json_line, read_json_lines


def pack(is_right: np.ndarray) -> str:
    """Returns bool[P] as text."""
    return f"{len(is_right)}:{np.packbits(is_right).tobytes().hex()}"


def unpack(text: str) -> np.ndarray:
    """Returns the bool[P] of a text of `pack`; raises ValueError if it is none."""
    size, _, digits = text.partition(":")
    bits = np.unpackbits(np.frombuffer(bytes.fromhex(digits), np.uint8)).astype(bool)
    if not 0 <= len(bits) - int(size) < 8:
        raise ValueError(f"answers in {size} positions are {len(bits)} bits")
    return bits[: int(size)]


def pack_answers(answers: Answers) -> dict[str, str]:
    """Returns answers as fields of a row."""
    return {name: pack(is_right) for name, is_right in answers._asdict().items()}


def unpack_answers(row: Mapping[str, Any]) -> Answers:
    """Returns the answers in the fields of a row; raises KeyError or ValueError if it has none."""
    return Answers(unpack(row["network"]), unpack(row["search"]))


def read_answers(path: pathlib.Path) -> dict[int, Answers]:
    """Returns the answers in a file by iteration; an incomplete last line is left out.

    Raises:
      InputError: The file cannot be read, or is damaged.
    """
    if not path.exists():
        return {}
    with reading_errors(path, "; delete it to go on without"):
        return {row["iteration"]: unpack_answers(row) for row in read_json_lines(path)}


def append_answers(path: pathlib.Path, iteration: int, answers: Answers) -> None:
    """Appends the answers of an evaluation, which are on disk then, or raises OSError."""
    append_json_line(path, {"iteration": iteration, **pack_answers(answers)})
