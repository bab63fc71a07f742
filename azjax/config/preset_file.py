"""A preset as a TOML file: a summary, the length of a run, and the fields of RunConfig."""

import dataclasses
import pathlib
from collections.abc import Mapping
from importlib.resources.abc import Traversable
from typing import Any, NamedTuple

from azjax.config.fields import flatten, to_tables, with_fields
from azjax.config.limits import Limits
from azjax.config.run_config import RunConfig
from azjax.config.stored_values import parse_value
from azjax.support.files.atomic_files import write_text_atomically
from azjax.support.files.reading import read_toml

SUFFIX = ".toml"
_LENGTHS = {"minutes": float, "iterations": int}


class Preset(NamedTuple):
    """A configuration, the default length of its runs, and what it is good for."""

    config: RunConfig
    limits: Limits
    summary: str


def folder_name(preset: str) -> str:
    """Returns the default name of a folder for the results of a preset or a game."""
    return pathlib.Path(preset).name.removesuffix(SUFFIX).replace(":", "_")


def default_folder(name: str, preset: Preset, config: RunConfig) -> pathlib.Path:
    """Returns the folder of a run that is given none: named by its preset, or by another game."""
    game = config.train.game
    is_presets_game = game == preset.config.train.game
    return pathlib.Path("runs") / folder_name(name if is_presets_game else game)


def read_preset(path: pathlib.Path | Traversable) -> Preset:
    """Reads a preset file.

    Raises:
      ValueError: The file cannot be read, or it is wrong; see `parse_preset`.
    """
    try:
        return parse_preset(read_toml(path))
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def write_preset(path: pathlib.Path, preset: Preset, comment: str = "") -> None:
    """Writes a preset as TOML, with all its fields, below lines of comment."""
    import tomli_w  # an optional dependency, which reading does not need

    lengths = dataclasses.asdict(preset.limits)
    table = _without_none({"summary": preset.summary, **lengths, **to_tables(preset.config)})
    lines = "".join(f"# {line}\n" for line in comment.splitlines())
    write_text_atomically(path, f"{lines}{tomli_w.dumps(table)}")


def parse_preset(table: Mapping[str, Any]) -> Preset:
    """Returns the preset of a table; fields of a run that are left out have their defaults.

    Raises:
      ValueError: A field is unknown, of the wrong type or out of range, or the length is missing.
    """
    table = dict(table)
    summary = parse_value(str, table.pop("summary", ""), "summary")
    lengths = {
        name: parse_value(kind, table.pop(name), name)
        for name, kind in _LENGTHS.items()
        if name in table
    }
    # Before a length is required, so that another kind of TOML file is refused by its first field.
    config = with_fields(RunConfig(), dict(flatten(table)))
    limits = Limits(**lengths)
    if not limits.is_given:
        raise ValueError("neither minutes nor iterations are given: one is needed")
    return Preset(config, limits, summary)


def _without_none(table: dict[str, Any]) -> dict[str, Any]:
    """Returns the table without the fields that are None: TOML has no value for it."""
    return {
        name: _without_none(value) if isinstance(value, dict) else value
        for name, value in table.items()
        if value is not None
    }
