"""Flags from dataclasses, with every mistake told in one line."""

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
    """Returns the options that the arguments spell; `--help` prints them and exits.

    Args:
      kind: A dataclass, each field with its help below it.
      arguments: What follows the command.
      command: The command, for the help.
      default: Values of the fields that the arguments leave alone.

    Raises:
      InputError: An argument is unknown, missing, malformed or out of range.
    """
    complaint = io.StringIO()
    try:
        with input_errors(), contextlib.redirect_stderr(complaint):
            defaults = {} if default is None else {"default": default}
            return tyro.cli(kind, args=arguments, prog=command, **defaults)
    except SystemExit as stop:
        if not stop.code:
            raise
        raise InputError(f"{_one_line(complaint.getvalue())}; see {command} --help") from None


def split_lists(arguments: list[str]) -> tuple[dict[str, list[float]], list[str]]:
    """Takes lists of hyperparameters, as in `--hparams.learning-rate 1e-3 3e-3`, out of arguments.

    Returns:
      The lists by the hyperparameter's name, such as `learning_rate`; and the arguments with the
      first value of each list, by which a flag that does not exist is noticed.
    """
    lists, rest, words = {}, [], list(arguments)
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
    """Returns what a framed message of tyro says, without its frame and its asides."""
    lines = [re.sub(r"[╭╮╰╯│─]+", " ", line).strip() for line in box.splitlines()[1:]]
    rule = next((i for i, line in enumerate(lines) if not line), len(lines))
    message = re.sub(r"^Error parsing [A-Z]\w*: ", "", " ".join(lines[:rule]))
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


def check_seed(seed: int) -> None:
    """Raises ValueError where JAX could not take the seed."""
    if not 0 <= seed < 2**32:
        raise ValueError(f"seed={seed}: must be from 0 to {2**32 - 1}")
