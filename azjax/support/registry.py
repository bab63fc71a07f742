"""Registries: things by name, to which modules outside azjax can add their own."""

import sys
from typing import Any, Generic, TypeVar

from azjax.support.plugins import load_entry_points
from azjax.support.program_cache import clear_programs
from azjax.support.suggestions import did_you_mean

Entry = TypeVar("Entry")

_REGISTRIES: dict[str, "Registry[Any]"] = {}  # by their kind


class Registry(Generic[Entry]):
    """The things of one kind by name, and the module that registered each."""

    def __init__(self, kind: str):
        """Creates an empty registry of a kind, such as "game"."""
        self._kind = kind
        self._entries: dict[str, Entry] = {}
        self._modules: dict[str, str] = {}

    def register(self, name: str, entry: Entry, module: str) -> None:
        """Registers an entry.

        The module that does so, if it is outside azjax, may replace it later, as a notebook does
        whose cell runs again.

        Raises:
          ValueError: The name is taken, or cannot be written where names are given.
        """
        if not name or set(name) & set(":,=@ /"):
            raise ValueError(
                f"{name!r} is no name of a {self._kind}: leave out : , = @ / and spaces"
            )
        if name in self._entries:
            if is_builtin(module) or self._modules[name] != module:
                raise ValueError(
                    f"the {self._kind} {name!r} is registered already: choose another name"
                )
            clear_programs()  # they name the entry, and hold the old one
        self._entries[name] = entry
        self._modules[name] = module

    def __contains__(self, name: str) -> bool:
        """Tells whether a name is registered, if need be by an installed plug-in."""
        if name not in self._entries:
            load_entry_points()
        return name in self._entries

    def get(self, name: str) -> Entry:
        """Returns the entry of a name; raises ValueError, with the nearest name, if it has none."""
        if name not in self:
            names = f"there are {', '.join(self._entries)}, or one of --plugin MODULE"
            hint = did_you_mean(name, self._entries, otherwise=names)
            raise ValueError(f"no {self._kind} is named {name!r}; {hint}")
        return self._entries[name]

    def names(self) -> list[str]:
        """Returns the names, in the order of registration."""
        return list(self._entries)

    def plugin(self, name: str) -> str | None:
        """Returns the module outside azjax that registered a name; None for what is built in."""
        module = self._modules.get(name)
        return None if module is None or is_builtin(module) else module


def registry(kind: str) -> Registry[Any]:
    """Returns the registry of a kind, such as "search"; an empty one if nothing is registered."""
    return _REGISTRIES.setdefault(kind, Registry(kind))


def is_builtin(module: str) -> bool:
    """Tells whether a module is part of azjax."""
    return module.partition(".")[0] == "azjax"


def calling_module() -> str:
    """Returns the name of the module that calls the function that calls this one."""
    return sys._getframe(2).f_globals["__name__"]
