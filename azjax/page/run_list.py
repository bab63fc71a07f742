"""The runs below a folder."""

import os
import pathlib
from typing import NamedTuple

from azjax.page.safe_paths import name_below
from azjax.runs.storage.run_description import read_description
from azjax.runs.storage.run_folders import is_run
from azjax.support.errors import InputError, reading_errors

DEEPEST = 4  # folders below that of the runs, where runs are found


class FoundRun(NamedTuple):
    """A run, perhaps a damaged one."""

    name: str  # relative to the folder of runs
    path: pathlib.Path
    game: str  # empty if it is damaged
    has_network: bool
    error: str  # in one line; empty if there is none


def list_runs(folder: pathlib.Path) -> list[FoundRun]:
    """Returns the runs below a folder, by name; links are not followed."""
    return [_describe(folder, path) for path in sorted(_find(folder, DEEPEST))]


def _find(folder: pathlib.Path, depth: int) -> list[pathlib.Path]:
    below = []
    for path in folders_in(folder) if depth else []:
        below += [path] if is_run(path) else _find(path, depth - 1)
    return below


def folders_in(folder: pathlib.Path) -> list[pathlib.Path]:
    """Returns the visible folders in a folder that can be entered, no links.

    There are none if it cannot be read.
    """
    try:
        entries = [entry for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False)]
    except OSError:  # it may be somebody else's, or have just been deleted
        return []
    visible = [entry.path for entry in entries if not entry.name.startswith(".")]
    return [pathlib.Path(path) for path in visible if os.access(path, os.X_OK)]


def _describe(folder: pathlib.Path, path: pathlib.Path) -> FoundRun:
    name, has_network = name_below(folder, path), any(path.glob("checkpoints/*"))
    try:
        with reading_errors(path):
            game = str(read_description(path)["config"]["game"])
    except InputError as error:
        return FoundRun(name, path, "", has_network, str(error))
    return FoundRun(name, path, game, has_network, "")
