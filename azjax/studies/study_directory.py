"""The folder of a study, and the settings that a resumed or extended study must share with it."""

import dataclasses
import json
import pathlib
import textwrap
import time
from collections.abc import Container
from typing import Any, NamedTuple

from azjax.config.limits import Limits
from azjax.config.stored_config import read_config, store_config
from azjax.config.stored_values import parse_value
from azjax.runs.storage.run_folders import check_is_empty
from azjax.studies.study import Study
from azjax.support.errors import InputError, reading_errors, writing_errors
from azjax.support.files.atomic_files import write_text_atomically
from azjax.support.files.ownership import InUseError, owned
from azjax.support.files.reading import read_json
from azjax.support.validation import check_size

_PATIENCE_SECONDS, _SECONDS_BETWEEN_TRIES = 10.0, 0.5
_FILE = "study.json"
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
    differences = _find_differences(recorded, current)
    lost = [x for x in differences if not _is_growth(x, recorded["cells"])]
    if extend and lost:
        raise InputError(
            f"{path} cannot be extended so: {lost[0]}; --extend adds seeds, minutes or "
            "configurations, and keeps everything else"
        )
    if differences and not extend:
        hint = "" if lost else "add --extend to add to it, "
        raise InputError(
            f"{path} holds another study: {differences[0]}; {hint}give the options that it was "
            "started with, or choose another folder with --out"
        )
    return not differences


def _read(study: Study) -> dict[str, Any]:
    file = study.path / _FILE
    with reading_errors(file):
        recorded = read_json(file)
        if isinstance(recorded, dict):
            recorded.setdefault("first_seed", 0)  # of older versions
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


def _describe(study: Study) -> dict[str, Any]:
    return {
        "study": study.name,
        "preset": study.preset,
        "positions": study.positions.description,
        "first_seed": study.first_seed,
        "seeds": study.num_seeds,
        "limits": dataclasses.asdict(study.limits),
        "evaluate_every": study.evaluate_every,
        "cells": {
            cell.name: {"factors": cell.factors, "config": store_config(cell.config)}
            | ({"limits": dataclasses.asdict(cell.limits)} if cell.limits else {})
            for cell in study.cells
        },
        "play_time_simulations": study.play_time_simulations,
    }


class _Difference(NamedTuple):
    """A value in which two descriptions differ; None where one has no such value."""

    field: tuple[str, ...]  # the keys that lead to it
    before: Any
    after: Any

    def __str__(self) -> str:
        before, after = (
            textwrap.shorten(json.dumps(value), 60) for value in (self.before, self.after)
        )
        return f"{'.'.join(self.field)} was {before}, is {after}"


def _find_differences(
    recorded: Any, current: Any, field: tuple[str, ...] = ()
) -> list[_Difference]:
    """Returns the values in which two descriptions differ."""
    if isinstance(recorded, dict) or isinstance(current, dict):
        before, after = (x if isinstance(x, dict) else {} for x in (recorded, current))
        return [
            difference
            for key in before | after
            for difference in _find_differences(before.get(key), after.get(key), (*field, key))
        ]
    return [] if recorded == current else [_Difference(field, recorded, current)]


def _is_growth(difference: _Difference, cells: Container[str]) -> bool:
    """Tells whether a larger study may differ so from one with these cells."""
    (name, *rest), before, after = difference
    if name == "cells":
        return rest[0] not in cells
    if name in ("seeds", "limits"):
        return None not in (before, after) and after > before
    return name == "play_time_simulations"
