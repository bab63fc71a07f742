"""Command-line flags from dataclasses; each mistake is reported in one line."""

import argparse
import contextlib
import functools
import inspect
import io
import itertools
import shutil
import textwrap
from collections.abc import Callable, Collection, Iterator
from typing import TypeVar

import tyro

from azjax.config.fields import EVALUATION, KINDS, check_has_field, choose
from azjax.config.flag_errors import explain, is_flag
from azjax.config.flag_types import flag_registry, number
from azjax.config.plugin_flag import take_plugins
from azjax.config.run_config import RunConfig
from azjax.support.errors import InputError, input_errors

Options = TypeVar("Options")

_HELP = {"-h", "--help"}
_PLUGIN = "With --plugin MODULE, that module registers your games, components and presets."
_WIDEST = 80  # columns: tyro's boxes are not wider


def parse_flags(
    kind: type[Options],
    arguments: list[str],
    command: str,
    default: Options | None = None,
    *,
    takes_plugins: bool = False,
) -> Options:
    """Parses arguments into a dataclass; `--help` prints the flags and exits.

    Args:
      kind: A dataclass; the string below each field is its help.
      arguments: The arguments after the command.
      command: The command, for the help.
      default: Values of the fields that the arguments do not set.
      takes_plugins: Whether --plugin is a flag; of commands of azjax it has been taken before.

    Raises:
      InputError: An argument is unknown, missing, malformed or out of range.
    """
    if takes_plugins:
        arguments = take_plugins(arguments)
    paragraphs = [_PLUGIN] * (takes_plugins or command.startswith("azjax "))
    parse = functools.partial(
        tyro.cli,
        kind,
        prog=command,
        description=_description(kind, paragraphs),
        registry=flag_registry(),
        **({} if default is None else {"default": default}),
    )
    errors = io.StringIO()
    try:
        with contextlib.redirect_stderr(errors):  # the help leaves out what it is asked after
            return parse(args=["--help"] if _HELP & set(arguments) else arguments)
    except SystemExit as stop:
        if not stop.code:
            raise
        with _naming_help(command):
            raise InputError(explain(errors.getvalue(), arguments, _help(parse))) from None


def split_lists(
    arguments: list[str], numbers: Collection[str], command: str
) -> tuple[dict[str, list[float]], list[str]]:
    """Extracts lists of numbers, as in `--optimizer.learning-rate 1e-3 3e-3`.

    Returns:
      Name of a number to its values; and the arguments with only the first value of each list, so
      that parsing them still finds unknown flags.

    Raises:
      InputError: A value in a list is not a number.
    """
    lists: dict[str, list[float]] = {}
    rest, words = [], list(arguments)
    while words:
        flag = words.pop(0)
        rest.append(flag)
        name = flag.removeprefix("--").replace("-", "_")
        if flag.startswith("--") and name in numbers:
            values = list(itertools.takewhile(lambda word: not is_flag(word), words))
            rest += values[:1]
            del words[: len(values)]
            if len(values) > 1:
                with _naming_help(command):
                    lists[name] = [_number_of(flag, value) for value in values]
    return lists, rest


def choose_components(config: RunConfig, arguments: list[str], command: str) -> RunConfig:
    """Returns the configuration with the components that flags name: they decide on other flags.

    Raises:
      InputError: There is no component of a name, a part is there twice, or there is a flag for a
        field that the chosen components do not have.
    """
    parser = partial_parser()
    names = [f"{table}.name" for table in (*KINDS, EVALUATION)]
    for name in names:
        parser.add_argument(f"--{name}", nargs="?", dest=name)
    parser.add_argument("--parts", nargs="*", dest="parts")
    known, rest = parser.parse_known_args(arguments)
    given = {name: value for name, value in vars(known).items() if value is not None}
    if any(word.startswith(f"--{EVALUATION}.") for word in rest):  # shows the flags of that table
        given.setdefault(f"{EVALUATION}.name", (config.evaluated_by or config.train.search).name)
    with _naming_help(command), input_errors():
        chosen = choose(config, given)
        for name in _given_fields(rest):
            check_has_field(chosen, name)
    return chosen


def _given_fields(arguments: list[str]) -> Iterator[str]:
    """Yields the names of the fields that flags set, such as `search.c_puct`."""
    for flag in filter(is_flag, arguments):
        table, dot, field = flag.lstrip("-").partition("=")[0].replace("-", "_").rpartition(".")
        yield f"{table}{dot}{field.removeprefix('no_')}"


def partial_parser() -> argparse.ArgumentParser:
    """Returns a parser of some flags, which leaves the others alone."""
    return argparse.ArgumentParser(add_help=False, allow_abbrev=False)


def _number_of(flag: str, word: str) -> float:
    try:
        return number(float, word)
    except ValueError as error:
        raise InputError(f"{flag} {error}") from None


def _description(kind: type, more: list[str]) -> str:
    """Returns the docstring and more paragraphs, wrapped.

    tyro keeps the line breaks before indented lines, and wraps none.
    """
    paragraphs = [*inspect.cleandoc(kind.__doc__ or "").split("\n\n"), *more]
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    wrap = functools.partial(textwrap.fill, initial_indent=" ", subsequent_indent=" ")
    return "\n".join(wrap(paragraph, width) for paragraph in paragraphs)


def _help(parse: Callable[..., object]) -> str:
    """Returns the help."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.suppress(SystemExit):
        parse(args=["--help"])
    return text.getvalue()


@contextlib.contextmanager
def _naming_help(command: str) -> Iterator[None]:
    """Adds the command that prints the help to an InputError."""
    try:
        yield
    except InputError as error:
        is_question = str(error).endswith("?")
        hint = f"{'See' if is_question else 'see'} {command} --help"
        raise InputError(f"{error}{' ' if is_question else '; '}{hint}") from None
