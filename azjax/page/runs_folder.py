"""The folder of runs: the names in it, its runs, and the plug-ins that they need."""

import os
import pathlib
import shlex
import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

from azjax.agents.agent_file import plugins_in
from azjax.config.plugin_flag import plugin_flags
from azjax.runs.storage.run_description import DESCRIPTION, read_description
from azjax.runs.storage.run_folders import is_run
from azjax.support.errors import InputError, reading_errors

DEEPEST = 4  # folders below the folder of runs, where runs are found
_LONGEST = 200  # characters of a name
_LONGEST_PART = 255  # bytes, as in most file systems


class FoundRun(NamedTuple):
    """A run, perhaps a damaged one."""

    name: str  # relative to the folder of runs
    path: pathlib.Path
    game: str  # empty if it is damaged
    has_network: bool
    error: str  # in one line; empty if there is none


def path_below(folder: pathlib.Path, name: str) -> pathlib.Path:
    """Returns the path of a name that a visitor gives, below a folder; nothing need be there.

    Args:
      folder: Absolute.
      name: Such as `connect_four` or `sweep/trial_3`.

    Raises:
      InputError: The name is absolute, has a part such as `..` or an odd character, or leads out of
        the folder by a symbolic link.
    """
    parts = name.split("/")
    is_plain = len(name) <= _LONGEST and name.isprintable() and "\\" not in name
    has_parts = not {"", ".", ".."} & set(parts)
    if not (is_plain and has_parts) or max(len(x.encode()) for x in parts) > _LONGEST_PART:
        raise InputError(f"{name[:_LONGEST]!r} is no name below the folder of runs")
    path = folder.joinpath(*parts)
    if path.resolve() != folder.resolve().joinpath(*parts):
        raise InputError(f"{name} leads out of the folder of runs by a link")
    return path


def name_below(folder: pathlib.Path, path: pathlib.Path) -> str:
    """Returns the name that `path_below` turns into the path."""
    return path.relative_to(folder).as_posix()


def find_folders(
    folder: pathlib.Path, is_wanted: Callable[[pathlib.Path], bool], depth: int = DEEPEST
) -> Iterator[pathlib.Path]:
    """Yields the wanted folders below a folder; neither they nor runs are looked into."""
    for path in _folders_in(folder) if depth else []:
        if is_wanted(path):
            yield path
        elif not is_run(path):
            yield from find_folders(path, is_wanted, depth - 1)


def _folders_in(folder: pathlib.Path) -> list[pathlib.Path]:
    """Returns the visible folders in a folder that can be entered, no links.

    There are none if it cannot be read.
    """
    try:
        entries = [entry for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False)]
    except OSError:  # it may be somebody else's, or have just been deleted
        return []
    visible = [entry.path for entry in entries if not entry.name.startswith(".")]
    return [pathlib.Path(path) for path in visible if os.access(path, os.X_OK)]


def list_runs(folder: pathlib.Path) -> list[FoundRun]:
    """Returns the runs below a folder, by name; links are not followed."""
    return [_describe(folder, path) for path in sorted(find_folders(folder, is_run))]


def _describe(folder: pathlib.Path, path: pathlib.Path) -> FoundRun:
    name, has_network = name_below(folder, path), any(path.glob("checkpoints/*"))
    try:
        with reading_errors(path):
            game = str(read_description(path)["config"]["game"])
    except InputError as error:
        return FoundRun(name, path, "", has_network, str(error))
    return FoundRun(name, path, game, has_network, "")


def require_plugins(run: pathlib.Path) -> list[str]:
    """Returns the plug-ins that the run in a folder needs, all of which are loaded.

    Whatever opens a run imports its plug-ins, which are code, and the page loads none but those
    that it was started with: call this before.

    Raises:
      InputError: A plug-in is not loaded, or the description of the run is damaged.
    """
    if not is_run(run):  # what opens it tells so
        return []
    with reading_errors(run / DESCRIPTION):
        plugins = plugins_in(read_description(run))
        missing = [module for module in plugins if module not in sys.modules]
        flags = shlex.join(plugin_flags(missing))
    if missing:
        raise InputError(
            f"{run} needs a plug-in, which is code: if you trust it, start azjax serve {flags}"
        )
    return plugins
