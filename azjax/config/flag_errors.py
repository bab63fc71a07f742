"""The errors of tyro, each in one line and in words."""

import re
import shlex
from collections.abc import Sequence

from azjax.support.suggestions import nearest

_FLAG = r"--[a-z][\w-]*(?:\.[\w-]+)*"


def is_flag(word: str) -> bool:
    """Tells whether a word of the command line is a flag, and not a negative number."""
    return re.match("--?[A-Za-z]", word) is not None


def explain(box: str, arguments: Sequence[str], help_text: str) -> str:
    """Returns what is wrong with the arguments.

    Args:
      box: The framed message of tyro.
      arguments: The arguments that tyro refused.
      help_text: The help of the command, which names every flag.
    """
    message = _message(box)
    flags = list(dict.fromkeys(re.findall(_FLAG, help_text)))
    if unknown := re.match("Unrecognized options: (.*)", message):
        return _explain_unknown(unknown[1].split(", "), flags)
    if empty := re.match("Missing value for argument '(.*?)'", message):
        return f"{empty[1]} is without a value{_as_one_word(empty[1], arguments, flags)}"
    if choice := re.match("invalid choice '(.*)' for argument '(.*)'. Expected (.*)", message):
        *others, last = re.findall("'(.*?)'", choice[3])
        return f"{choice[2]} {choice[1]}: must be {', '.join(others)} or {last}"
    if missing := re.match(r"Missing from .*?: (?:(--\S+) )?(\S+) (.*) \(required\)", message):
        return f"{missing[1] or missing[2]} is missing: {_first_sentence(missing[3])}"
    return re.sub(r"^Error parsing (\S+): ", r"\1 ", message)


def _as_one_word(flag: str, arguments: Sequence[str], flags: list[str]) -> str:
    """Returns how to write a value that looks like a flag, if the next word is one."""
    following = arguments[arguments.index(flag) + 1 :][:1] if flag in arguments else []
    is_value = any(word.startswith("-") and word.split("=")[0] not in flags for word in following)
    return f", or it begins with a dash: write {flag}={shlex.join(following)}" if is_value else ""


def _first_sentence(text: str) -> str:
    """Returns the first sentence without its full stop, and with a small letter at its start."""
    sentence = re.split(r"(?<=[^.])\.(?: (?=[A-Z])|$)", text)[0]
    is_word = re.match("[A-Z](?![A-Z])", sentence)
    return sentence[0].lower() + sentence[1:] if is_word else sentence


def _message(box: str) -> str:
    """Returns the first paragraph in a frame, which is of ASCII where the output is not UTF-8."""
    lines = [re.sub("^[│|]|[│|]$", "", line).strip() for line in box.splitlines()]
    first, last, *_ = (i for i, line in enumerate(lines) if re.match("[╭╰+]|[─-]{5}", line))
    return " ".join(lines[first + 1 : last])


def _explain_unknown(unknown: list[str], flags: list[str]) -> str:
    """Returns what is wrong with the words that tyro did not expect."""
    if is_flag(unknown[0]):
        return f"unknown option {unknown[0]}{_suggestion(unknown[0], flags)}"
    name, equals, _ = unknown[0].partition("=")
    hint = _suggestion(name, flags) if equals else ""
    has_lists = any(flag.startswith("--optimizer.") for flag in flags)
    several = ", but for --parts and numbers such as --optimizer.learning-rate" if has_lists else ""
    rule = f"; a flag takes one value{several}, and a switch none"
    return f"unexpected argument {unknown[0]}{hint or rule}"


def _suggestion(word: str, flags: list[str]) -> str:
    """Returns a question with the flag of the same last part, or one that is spelt alike."""
    names = (flag.removeprefix("--") for flag in flags if flag != word)
    meant = nearest(word.lstrip("-"), names)
    return f", did you mean --{meant}?" if meant else ""
