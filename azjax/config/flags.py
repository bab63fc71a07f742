"""Command-line flags from dataclasses; each mistake is reported in one line."""

import argparse
import contextlib
import functools
import inspect
import io
import itertools
import shlex
import shutil
import textwrap
from collections.abc import Callable, Collection, Iterator
from typing import TypeVar

import tyro
from tyro import _errors

from azjax.config.fields import EVALUATION, KINDS, check_has_field, choose
from azjax.config.flag_types import flag_registry, number
from azjax.config.plugin_flag import given_plugins, plugin_flags, take_plugins
from azjax.config.run_config import RunConfig
from azjax.support.errors import InputError, input_errors
from azjax.support.suggestions import nearest

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
    """Parses the arguments of a command into a dataclass; `--help` prints the flags and exits.

    The string below each field is its help. `default` has the values of fields without a flag. A
    script may take `--plugin`; the commands of azjax have taken it before.

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

    def refuse(event: _errors.ParseErrorEvent) -> None:
        with _naming_help(command):
            raise InputError(_explain(event, _help(parse)))

    with _errors.on_parse_error(refuse):  # the help leaves out what it is asked after
        return parse(args=["--help"] if _HELP & set(arguments) else arguments)


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
            values = list(itertools.takewhile(lambda word: not _is_flag(word), words))
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
        for flag in filter(_is_flag, rest):
            table, dot, field = flag.lstrip("-").partition("=")[0].replace("-", "_").rpartition(".")
            check_has_field(chosen, f"{table}{dot}{field.removeprefix('no_')}")
    return chosen


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
        words = shlex.join([*plugin_flags(given_plugins()), "--help"])
        hint = f"{'See' if is_question else 'see'} {command} {words}"
        raise InputError(f"{error}{' ' if is_question else '; '}{hint}") from None


def _is_flag(word: str) -> bool:
    """Tells whether a word of the command line is a flag, and not a negative number."""
    return word.startswith("-") and word.lstrip("-")[:1].isalpha()


def _explain(event: _errors.ParseErrorEvent, help_text: str) -> str:
    """Returns what is wrong, from tyro's reason and the help, which names every flag."""
    words = (word.strip(",.:;()`│") for word in help_text.split())
    flags = [word for word in dict.fromkeys(words) if word.startswith("--")]
    match event:
        case _errors.UnrecognizedArgs(tokens=[word, *_]):
            return _explain_unknown(word, flags)
        case _errors.BadValue(argument=argument):
            flag = argument.display_name()
            return f"{flag} is without a value; one that begins with a dash is written {flag}=VALUE"
        case _errors.InvalidChoice(argument=argument, value=value, choices=[*others, last]):
            return f"{argument.display_name()} {value}: must be {', '.join(others)} or {last}"
        case _errors.MissingArgs(missing_arguments=[missing, *_]):
            argument = missing.arg
            is_word = argument.is_positional()
            name = argument.lowered.metavar if is_word else argument.display_name()
            return f"{name} is missing: {_first_sentence(str(argument.field.helptext))}"
        case _errors.InstantiationFailure(message=message, argument=argument):
            return f"{argument.display_name()} {message}" if argument else message
    return "the arguments are wrong"


def _first_sentence(text: str) -> str:
    """Returns the first sentence without its full stop, and with a small letter at its start."""
    sentence = text.partition(". ")[0].removesuffix(".")
    is_word = sentence[:1].isupper() and not sentence[1:2].isupper()
    return sentence[:1].lower() + sentence[1:] if is_word else sentence


def _explain_unknown(word: str, flags: list[str]) -> str:
    """Returns what is wrong with a word that tyro did not expect."""
    if _is_flag(word):
        return f"unknown option {word}{_suggestion(word, flags)}"
    name, equals, _ = word.partition("=")
    hint = _suggestion(name, flags) if equals else ""
    has_lists = any(flag.startswith("--optimizer.") for flag in flags)
    several = ", but for --parts and numbers such as --optimizer.learning-rate" if has_lists else ""
    rule = f"; a flag takes one value{several}, and a switch none"
    return f"unexpected argument {word}{hint or rule}"


def _suggestion(word: str, flags: list[str]) -> str:
    """Returns a question with the flag of the same last part, or one that is spelt alike."""
    names = (flag.removeprefix("--") for flag in flags if flag != word)
    meant = nearest(word.lstrip("-"), names)
    return f", did you mean --{meant}?" if meant else ""
