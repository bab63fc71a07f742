"""The flag `--plugin MODULE` of every command, of studies, sweeps, alphago.py and benchmark.py."""

from azjax.support.errors import InputError
from azjax.support.plugins import load_entry_points, load_plugin

_FLAG = "--plugin"


def take_plugins(arguments: list[str]) -> list[str]:
    """Imports the installed plug-ins and those of the flag, and returns the other arguments.

    Raises:
      InputError: The flag names no module, or one that cannot be imported.
    """
    load_entry_points()
    rest, words = [], list(arguments)
    while words:
        word = words.pop(0)
        if word.startswith(f"{_FLAG}="):
            load_plugin(word.removeprefix(f"{_FLAG}="))
        elif word == _FLAG:
            if not words or words[0].startswith("-"):
                raise InputError(f"{_FLAG} is without a module: write {_FLAG} mine for mine.py")
            load_plugin(words.pop(0))
        else:
            rest.append(word)
    return rest
