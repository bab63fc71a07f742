"""Plug-ins: modules outside azjax that register games, components and presets."""

import contextlib
import functools
import importlib
import importlib.metadata
import os
import pathlib
import sys
import traceback
from collections.abc import Iterator
from typing import NamedTuple

from azjax.support.errors import InputError, first_line

_GROUP = "azjax.plugins"
_AZJAX = pathlib.Path(__file__).parents[1]


class Plugin(NamedTuple):
    """A module, and the folder that it can be imported from."""

    module: str
    folder: str | None  # None: its module has no file


def load_plugin(module: str, folder: str | None = None) -> None:
    """Imports a plug-in from `folder`, else from the current folder, else from Python's folders.

    Raises:
      InputError: There is no such module, or it raises an error.
    """
    if module in sys.modules:
        return
    if module.endswith(".py") or not all(module.split(".")):
        name = pathlib.Path(module).stem.strip(".") or "mine"
        example = f"{name} for {name}.py in the current folder"
        raise InputError(f"--plugin {module}: write the module's name, such as {example}")
    with _first_on_path([os.getcwd()] if folder is None else [folder, os.getcwd()]):
        try:
            importlib.import_module(module)
        except ModuleNotFoundError as error:
            if not f"{module}.".startswith(f"{error.name}."):  # an import inside the plug-in fails
                raise _failed(module, error) from error
            raise _not_found(module, folder) from error
        except Exception as error:  # a plug-in is a program of the user's
            raise _failed(module, error) from error


@functools.cache
def load_entry_points() -> None:
    """Imports, once, the plug-ins that installed packages declare in the group `azjax.plugins`.

    Raises:
      InputError: One of them raises an error.
    """
    for entry in importlib.metadata.entry_points(group=_GROUP):
        load_plugin(entry.module)


def describe_plugin(module: str) -> Plugin | None:
    """Returns how another process can import a module; None for a script or a notebook."""
    if module == "__main__":
        return None
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None:
        return Plugin(module, None)
    path = pathlib.Path(file)
    depth = module.count(".") + (path.name == "__init__.py")
    return Plugin(module, str(path.resolve().parents[depth]))


@contextlib.contextmanager
def _first_on_path(folders: list[str]) -> Iterator[None]:
    """Looks for modules in folders first; afterwards last, so that they hide no other module."""
    sys.path[:0] = folders
    try:
        yield
    finally:
        for folder in folders:
            sys.path.remove(folder)
        sys.path += [folder for folder in dict.fromkeys(folders) if folder not in sys.path]


def _not_found(module: str, folder: str | None) -> InputError:
    was = f", nor in {folder}" if folder else ""
    return InputError(
        f"no plug-in {module!r}: there is no module of that name in the current folder or installed"
        f"{was}; --plugin takes a module's name, such as mine for mine.py"
    )


def _failed(module: str, error: Exception) -> InputError:
    """Returns an error that names the last line outside azjax that an error passed through."""
    if isinstance(error, SyntaxError):
        text, file, line = error.msg, str(error.filename), error.lineno
    else:
        frames = traceback.extract_tb(error.__traceback__)
        own = [f for f in frames if _AZJAX not in pathlib.Path(f.filename).parents]
        text, file, line = first_line(error), own[-1].filename, own[-1].lineno
    place = f"{pathlib.Path(file).name}, line {line}"
    return InputError(f"plug-in {module}: {type(error).__name__}: {text} ({place})")
