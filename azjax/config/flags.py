"""Command-line flags from dataclasses; each mistake is reported in one line."""

import contextlib
import difflib
import io
import itertools
import re
from typing import TypeVar

import tyro

from azjax.support.errors import InputError, input_errors

Options = TypeVar("Options")

_FLAG = r"--[\w.-]+"


def parse_flags(
    kind: type[Options], arguments: list[str], command: str, default: Options | None = None
) -> Options:
    """Parses arguments into a dataclass; `--help` prints the flags and exits.

    Args:
      kind: A dataclass; the string below each field is its help.
      arguments: The arguments after the command.
      command: The command, for the help.
      default: Values of the fields that the arguments do not set.

    Raises:
      InputError: An argument is unknown, missing, malformed or out of range.
    """
    errors = io.StringIO()
    try:
        with input_errors(), contextlib.redirect_stderr(errors):
            if default is None:
                return tyro.cli(kind, args=arguments, prog=command)
            return tyro.cli(kind, args=arguments, prog=command, default=default)
    except SystemExit as stop:
        if not stop.code:
            raise
        raise InputError(f"{_one_line(errors.getvalue())}; see {command} --help") from None


def split_lists(arguments: list[str]) -> tuple[dict[str, list[float]], list[str]]:
    """Extracts lists of hyperparameters, as in `--hparams.learning-rate 1e-3 3e-3`.

    Returns:
      Name of a hyperparameter, such as `learning_rate`, to its values; and the arguments with only
      the first value of each list, so that parsing them still finds unknown flags.
    """
    lists: dict[str, list[float]] = {}
    rest, words = [], list(arguments)
    while words:
        rest.append(words.pop(0))
        if rest[-1].startswith("--hparams."):
            values = list(itertools.takewhile(_is_number, words))
            rest += values[:1]
            del words[: len(values)]
            if len(values) > 1:
                name = rest[-2].removeprefix("--hparams.").replace("-", "_")
                lists[name] = [float(value) for value in values]
    return lists, rest


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _one_line(box: str) -> str:
    """Returns the message in a framed box of tyro, without the frame and the notes below it."""
    lines = [re.sub(r"[╭╮╰╯│─]+", " ", line).strip() for line in box.splitlines()[1:]]
    rule = next((i for i, line in enumerate(lines) if not line), len(lines))
    message = re.sub(r"^Error parsing (?!-)[\w.]+: ", "", " ".join(lines[:rule]))
    unknown = re.match(r"Unrecognized options: ([^\s,]+)", message)
    if unknown:
        flags = set(re.findall(_FLAG, " ".join(lines[rule:]))) - set(re.findall(_FLAG, message))
        nearest = difflib.get_close_matches(unknown[1], flags, n=1)
        hint = f", did you mean {nearest[0]}?" if nearest and unknown[1][0] == "-" else ""
        return f"unknown option {unknown[1]}{hint}"
    missing = re.match(r"Missing from .*?: (\S+) (.*) \(required\)", message)
    if missing:
        return f"{missing[1]} is missing: {missing[2].rstrip('.')}"
    return message.rstrip(".")
