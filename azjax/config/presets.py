"""Presets that come with azjax, one file a game: configurations that are known to learn."""

import dataclasses
import importlib.resources
import pathlib
from importlib.resources.abc import Traversable

from azjax.config.preset_file import SUFFIX, Preset, read_preset
from azjax.games import pgx_names
from azjax.support.suggestions import did_you_mean

_PGX = "pgx"  # the file of all games of Pgx


def preset_names() -> list[str]:
    """Returns the names of the presets, in alphabetical order; those of Pgx are left out."""
    files = [file.name for file in _folder().iterdir() if file.name.endswith(SUFFIX)]
    return sorted({name.removesuffix(SUFFIX) for name in files} - {_PGX})


def get_preset(name: str) -> Preset:
    """Returns the preset of a game, or of `pgx:NAME`.

    Raises:
      ValueError: There is none; the message suggests the nearest.
    """
    if name in pgx_names():
        preset = _read(_PGX)
        train = dataclasses.replace(preset.config.train, game=name)
        return preset._replace(config=dataclasses.replace(preset.config, train=train))
    names = preset_names()
    if name not in names:
        all_of_them = f"there are {', '.join(names)}; and pgx:NAME for games of Pgx"
        hint = did_you_mean(name, [*names, *pgx_names()], otherwise=all_of_them)
        raise ValueError(f"no preset is named {name!r}; {hint}")
    return _read(name)


def find_preset(name: str) -> Preset:
    """Returns the preset of a name such as `connect_four`, or that of a file `NAME.toml`.

    Raises:
      ValueError: There is none, or the file cannot be read.
    """
    return read_preset(pathlib.Path(name)) if name.endswith(SUFFIX) else get_preset(name)


def _read(name: str) -> Preset:
    return read_preset(_folder() / f"{name}{SUFFIX}")


def _folder() -> Traversable:
    return importlib.resources.files("azjax.config") / "presets"
