"""Paths of the names that visitors give: below the folder of runs, never elsewhere."""

import pathlib

from azjax.support.errors import InputError

_LONGEST = 200  # characters
_LONGEST_PART = 255  # bytes, as in most file systems


def path_below(folder: pathlib.Path, name: str) -> pathlib.Path:
    """Returns the path of a name below a folder; nothing need be there.

    Args:
      folder: Absolute.
      name: Such as `connect_four` or `sweep/trial_3`.

    Raises:
      InputError: The name is absolute, has a part such as `..` or an odd character, or leads out of
        the folder by a symbolic link.
    """
    parts = name.split("/")
    is_plain = len(name) <= _LONGEST and name.isprintable() and "\\" not in name
    if not is_plain or not all(map(_is_part, parts)):
        raise InputError(f"{name[:_LONGEST]!r} is no name below the folder of runs")
    path = folder.joinpath(*parts)
    if path.resolve() != folder.resolve().joinpath(*parts):
        raise InputError(f"{name} leads out of the folder of runs by a link")
    return path


def _is_part(part: str) -> bool:
    return part not in ("", ".", "..") and len(part.encode()) <= _LONGEST_PART


def name_below(folder: pathlib.Path, path: pathlib.Path) -> str:
    """Returns the name that `path_below` turns into the path."""
    return path.relative_to(folder).as_posix()
