"""The folder of a study, and the settings that a resumed study must share with it."""

import dataclasses
import json
from typing import Any

from azjax.config.run_config import to_dict
from azjax.runs.run_directory import check_is_empty
from azjax.studies.study import Study
from azjax.support.atomic_files import write_text_atomically
from azjax.support.errors import InputError

_FILE = "study.json"


def open_study_directory(study: Study) -> None:
    """Creates the study's folder, or checks that the existing one holds the same study.

    Raises:
      InputError: It holds another study or other files, or it cannot be written.
    """
    path, file = study.path, study.path / _FILE
    if file.is_file():
        _check_same(study)
        return
    check_is_empty(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
        write_text_atomically(file, json.dumps(_describe(study), indent=2) + "\n")
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from error


def _check_same(study: Study) -> None:
    try:
        recorded = json.loads((study.path / _FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{study.path / _FILE} cannot be read: {error}") from error
    current = json.loads(json.dumps(_describe(study)))
    if difference := _describe_difference(recorded, current):
        raise InputError(
            f"{study.path} holds another study: {difference}; give the options that it was started "
            "with, or choose another folder with --out"
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
            cell.name: {"factors": cell.factors, "config": to_dict(cell.config)}
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
    return "" if recorded == current else f"{name} was {_brief(recorded)}, is {_brief(current)}"


def _brief(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
