"""Presets by name: those that come with azjax, one file a game, and registered ones."""

import importlib.resources
import pathlib
from collections.abc import Mapping
from importlib.resources.abc import Traversable
from typing import Any

from azjax import games
from azjax.config.fields import with_fields
from azjax.config.preset_file import SUFFIX, Preset, parse_preset, read_preset
from azjax.support.registry import Registry, calling_module, registry
from azjax.support.suggestions import did_you_mean

_PGX = "pgx"  # the file of all games of Pgx
_UNTUNED = "untuned"  # the file of all other games without a preset

_REGISTERED: Registry[Preset] = registry("preset")


def register_preset(name: str, preset: Mapping[str, Any]) -> None:
    """Registers a preset: `azjax train name` then trains it.

    What it names, such as a game or a network, is registered before. The preset of a game has the
    game's name. `preset` is the content of a preset file: `{"minutes": 5, "game": "nim"}`.

    Raises:
      ValueError: The name is taken, or a field is unknown, of the wrong type or out of range.
    """
    if name in _shipped_names():
        raise ValueError(f"a preset named {name!r} comes with azjax: choose another name")
    try:
        _REGISTERED.register(name, parse_preset(preset), calling_module())
    except ValueError as error:
        raise ValueError(f"preset {name}: {error}") from error


def preset_names() -> list[str]:
    """Returns the names of the presets, in alphabetical order; presets of Pgx are left out."""
    return sorted([*_shipped_names(), *_REGISTERED.names()])


def get_preset(name: str) -> Preset:
    """Returns the preset of a name, or of a game such as `hex:size=7` or `pgx:NAME`.

    A game in other sizes has the preset of its name. A registered game without a preset has one
    that is not tuned.

    Raises:
      ValueError: There is none; the message suggests the nearest.
    """
    base = games.base_name(name)
    preset = _find(base)
    if preset is None:
        if base.startswith(games.PGX_PREFIX):
            games.make(name)  # raises, and names the games of Pgx
        others = "pgx:NAME for games of Pgx, and presets of --plugin MODULE"
        all_of_them = f"there are {', '.join(preset_names())}; {others}"
        known = [*preset_names(), *games.names(), *games.pgx_names()]
        hint = did_you_mean(name, known, otherwise=all_of_them)
        raise ValueError(f"no preset is named {name!r}; {hint}")
    return preset if name == base else _with_game(preset, games.make(name).name)


def is_tuned(name: str) -> bool:
    """Tells whether a preset was tuned for its game: it is not one that several games share."""
    base = games.base_name(name)
    return base in _shipped_names() or base in _REGISTERED


def find_preset(name: str) -> Preset:
    """Returns the preset of a name such as `connect_four`, or of a file `NAME.toml`.

    Raises:
      ValueError: There is none, or the file cannot be read.
    """
    return read_preset(pathlib.Path(name)) if name.endswith(SUFFIX) else get_preset(name)


def _find(base: str) -> Preset | None:
    """Returns the preset of a name without sizes, or None if there is none."""
    if base in _shipped_names():
        return _read(base)
    if base in _REGISTERED:
        return _REGISTERED.get(base)
    if base in games.pgx_names():
        return _with_game(_read(_PGX), base)
    return _with_game(_read(_UNTUNED), base) if base in games.names() else None


def _with_game(preset: Preset, game: str) -> Preset:
    return preset._replace(config=with_fields(preset.config, {"game": game}))


def _shipped_names() -> set[str]:
    files = [file.name for file in _folder().iterdir() if file.name.endswith(SUFFIX)]
    return {name.removesuffix(SUFFIX) for name in files} - {_PGX, _UNTUNED}


def _read(name: str) -> Preset:
    return read_preset(_folder() / f"{name}{SUFFIX}")


def _folder() -> Traversable:
    return importlib.resources.files("azjax.config") / "presets"
