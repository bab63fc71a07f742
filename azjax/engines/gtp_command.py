"""The lines of the Go Text Protocol (GTP), version 2: commands in, responses out.

The specification is Gunnar Farnebäck's, draft 2 of 2002.
"""

from typing import NamedTuple

_MOST_DIGITS = 10  # of an id; ids are 31-bit integers


class GtpError(Exception):
    """A command fails; the text is the message of the response."""


UNKNOWN_COMMAND, SYNTAX_ERROR = "unknown command", "syntax error"


class Command(NamedTuple):
    """A command; an empty name is none that is known."""

    id: str  # digits, or empty
    name: str
    arguments: list[str]


def parse_line(line: str) -> Command | None:
    """Returns the command of a line; None for an empty line or a comment.

    Control characters are removed, tabs are spaces, and a `#` begins a comment.
    """
    visible = "".join(x for x in line.replace("\t", " ") if x >= " " and x != "\x7f")
    words = visible.partition("#")[0].split()
    if not words:
        return None
    has_id = words[0].isascii() and words[0].isdigit() and len(words[0]) <= _MOST_DIGITS
    number = words.pop(0) if has_id else ""
    name, *arguments = words or [""]
    return Command(number, name, arguments)


def format_response(command: Command, text: str) -> str:
    """Returns the response of a command that has succeeded."""
    return _format("=", command, text)


def format_failure(command: Command, message: str) -> str:
    """Returns the response of a command that has failed."""
    return _format("?", command, message)


def _format(sign: str, command: Command, text: str) -> str:
    head = f"{sign}{command.id}"
    return f"{head} {text}\n\n" if text else f"{head}\n\n"
