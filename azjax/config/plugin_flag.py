"""The flag `--plugin MODULE` of every command, and of the scripts that take a preset."""

from collections.abc import Iterable

from azjax.support.errors import InputError
from azjax.support.plugins import load_entry_points, load_plugin

_FLAG = "--plugin"
_given: dict[str, None] = {}  # in the order of the flags


def take_plugins(arguments: list[str]) -> list[str]:
    """Imports the installed plug-ins and the flag's, and returns the other arguments.

    Raises:
      InputError: The flag names no module, or one that cannot be imported.
    """
    load_entry_points()
    rest, words = [], list(arguments)
    while words:
        word = words.pop(0)
        if word.startswith(f"{_FLAG}="):
            _take(word.removeprefix(f"{_FLAG}="))
        elif word == _FLAG:
            if not words or words[0].startswith("-"):
                raise InputError(f"{_FLAG} is without a module: write {_FLAG} mine for mine.py")
            _take(words.pop(0))
        else:
            rest.append(word)
    return rest


def given_plugins() -> list[str]:
    """Returns the modules that the flag has named in this process, for one that it starts."""
    return list(_given)


def plugin_flags(modules: Iterable[str]) -> list[str]:
    """Returns the words of the flags that name these modules."""
    return [word for module in modules for word in (_FLAG, module)]


def _take(module: str) -> None:
    load_plugin(module)
    _given[module] = None
