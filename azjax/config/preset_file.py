"""A preset as a TOML file: what it is good for, its length, and the fields of RunConfig."""

import pathlib
import tomllib
from typing import Any

from azjax.config.presets import Preset, get_preset
from azjax.config.run_config import RunConfig, from_dict, to_dict
from azjax.support.atomic_files import write_text_atomically

_LENGTHS = {"minutes": float, "iterations": int}


def find_preset(name: str) -> Preset:
    """Returns the preset of a name such as `connect_four`, or that of a file `NAME.toml`.

    Raises:
      ValueError: There is none, or the file cannot be read.
    """
    return read_preset(pathlib.Path(name)) if name.endswith(".toml") else get_preset(name)


def folder_name(preset: str) -> str:
    """Returns the name of the folder for what is made from a preset, if nobody gives another."""
    return pathlib.Path(preset).name.removesuffix(".toml").replace(":", "_")


def read_preset(path: pathlib.Path) -> Preset:
    """Reads a preset; fields of RunConfig that are left out have their defaults.

    Raises:
      ValueError: The file cannot be read, or a field in it is unknown, of the wrong type or out of
        its range.
    """
    try:
        with path.open("rb") as file:
            return _parse(tomllib.load(file))
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def write_preset(path: pathlib.Path, preset: Preset, comment: str = "") -> None:
    """Writes a preset so that a person can read and edit it, below lines of comment."""
    import tomli_w  # nothing that reads presets needs it

    lengths = {name: getattr(preset, name) for name in _LENGTHS}
    table = _without_none({"summary": preset.summary, **lengths, **to_dict(preset.config)})
    lines = "".join(f"# {line}\n" for line in comment.splitlines())
    write_text_atomically(path, f"{lines}{tomli_w.dumps(table)}")


def _parse(table: dict[str, Any]) -> Preset:
    summary = table.pop("summary", "")
    if not isinstance(summary, str):
        raise ValueError(f"summary={summary!r}: must be of type str")
    minutes, iterations = (_pop_length(table, name) for name in _LENGTHS)
    config = from_dict(RunConfig, table)  # before a length is asked for: it refuses other files
    if minutes is None and iterations is None:
        raise ValueError("it says neither minutes nor iterations: how long does a run last?")
    return Preset(config, minutes, iterations, summary)


def _pop_length(table: dict[str, Any], name: str) -> Any:
    """Takes a length out of the table and returns it, or None where there is none."""
    if name not in table:
        return None
    length = from_dict(_LENGTHS[name], table.pop(name), name)
    if not 0 < length < float("inf"):
        raise ValueError(f"{name}={length}: must be above 0")
    return length


def _without_none(table: dict[str, Any]) -> dict[str, Any]:
    """Returns the table without the fields that TOML has no value for: they are the defaults."""
    return {
        name: _without_none(value) if isinstance(value, dict) else value
        for name, value in table.items()
        if value is not None
    }
