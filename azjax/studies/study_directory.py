"""The folder of a study, and the settings that a resumed or extended study must share with it."""

import dataclasses
import json
import pathlib
import time
from typing import Any

from azjax.config.limits import Limits
from azjax.config.stored_config import read_config, store_config
from azjax.config.stored_values import parse_value
from azjax.runs.storage.run_folders import check_is_empty
from azjax.studies.study import Study
from azjax.support.errors import InputError, reading_errors, writing_errors
from azjax.support.files.atomic_files import write_text_atomically
from azjax.support.files.bounded_files import read_json
from azjax.support.files.ownership import InUseError, owned
from azjax.support.validation import check_size

_PATIENCE_SECONDS, _SECONDS_BETWEEN_TRIES = 10.0, 0.5
_FILE = "study.json"
_GROWING = ("seeds", "limits", "cells", "play_time_simulations")  # what an extension adds to
_MOST_SEEDS = 100_000  # far above any use


def open_study_directory(study: Study, *, extend: bool = False) -> None:
    """Creates the study's folder, or checks that the existing one holds the same study.

    Args:
      study: The study.
      extend: Whether the folder must hold a study of which this one is an extension.

    Raises:
      InputError: It holds another study or other files, or none to extend; or it cannot be written,
        or another process works on it.
    """
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while not _is_recorded(study, extend=extend):
        try:
            with owned(study.path):
                if not _is_recorded(study, extend=extend):  # another process may be quicker
                    _write(study)
        except InUseError:  # by another worker, which records the same study, most probably
            if time.monotonic() > deadline:
                raise
            time.sleep(_SECONDS_BETWEEN_TRIES)


def _is_recorded(study: Study, *, extend: bool) -> bool:
    """Tells whether the folder records exactly this study, after checking that it may."""
    path = study.path
    if not (path / _FILE).is_file():
        if extend:
            raise InputError(f"{path} holds no study to extend: leave out --extend to start one")
        check_is_empty(path)
        return False
    recorded, current = _read(study), _as_json(_describe(study))
    loss = _describe_loss(recorded, current)
    if extend and loss:
        raise InputError(
            f"{path} cannot be extended so: {loss}; --extend adds seeds, minutes or "
            "configurations, and keeps everything else"
        )
    if difference := "" if extend else _describe_difference(recorded, current):
        hint = "" if loss else "add --extend to add to it, "
        raise InputError(
            f"{path} holds another study: {difference}; {hint}give the options that it was started "
            "with, or choose another folder with --out"
        )
    return recorded == current


def _read(study: Study) -> dict[str, Any]:
    file = study.path / _FILE
    with reading_errors(file):
        recorded = read_json(file)
        if not isinstance(recorded, dict) or recorded.keys() != _describe(study).keys():
            raise ValueError("it has not the fields of a study")
        check_size("seeds", parse_value(int, recorded["seeds"], "seeds"), 1, _MOST_SEEDS)
        parse_value(Limits, recorded["limits"], "limits")
        for name, cell in recorded["cells"].items():
            if name in ("", "..") or pathlib.PurePath(name).name != name:
                raise ValueError(f"{name!r} is no name of a cell: it must be that of a folder")
            cell["config"] = _as_json(store_config(read_config(cell["config"])))
    return recorded


def _as_json(value: Any) -> Any:
    """Returns a value as JSON holds it, where a tuple is a list."""
    return json.loads(json.dumps(value))


def _write(study: Study) -> None:
    with writing_errors(study.path):
        study.path.mkdir(parents=True, exist_ok=True)
        write_text_atomically(study.path / _FILE, json.dumps(_describe(study), indent=2) + "\n")


def _describe_loss(recorded: dict[str, Any], current: dict[str, Any]) -> str:
    """Returns what the current study changes or leaves out of the recorded one, or ""."""
    kept = {name: current["cells"].get(name) for name in recorded["cells"]}
    missing = [name for name, cell in kept.items() if cell is None]
    was, now = ({x: v for x, v in y.items() if x not in _GROWING} for y in (recorded, current))
    before, after = ({"seeds": x["seeds"], **x["limits"]} for x in (recorded, current))
    smaller = [
        f"{name} was {_brief(old)}, is {_brief(after[name])}"
        for name, old in before.items()
        if old != after[name] and (old is None or after[name] is None or after[name] < old)
    ]
    return (
        _describe_difference(was, now)
        or "".join(smaller[:1])
        or (f"it leaves out {', '.join(missing)}" if missing else "")
        or _describe_difference(recorded["cells"], kept, "cells")
    )


def _describe(study: Study) -> dict[str, Any]:
    return {
        "study": study.name,
        "preset": study.preset,
        "positions": study.positions.description,
        "seeds": study.num_seeds,
        "limits": dataclasses.asdict(study.limits),
        "evaluate_every": study.evaluate_every,
        "cells": {
            cell.name: {"factors": cell.factors, "config": store_config(cell.config)}
            for cell in study.cells
        },
        "play_time_simulations": study.play_time_simulations,
    }


def _describe_difference(recorded: Any, current: Any, name: str = "") -> str:
    """Returns the first field in which two descriptions differ with its values, or ""."""
    if isinstance(recorded, dict) and isinstance(current, dict):
        for key in recorded | current:
            field = f"{name}.{key}" if name else key
            if text := _describe_difference(recorded.get(key), current.get(key), field):
                return text
        return ""
    if isinstance(recorded, dict) or isinstance(current, dict):
        return f"{name} {'is new' if recorded is None else 'is left out'}"
    return "" if recorded == current else f"{name} was {_brief(recorded)}, is {_brief(current)}"


def _brief(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
