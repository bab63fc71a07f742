"""A study's folder: what it was made with, and that it goes on as it was begun."""

import dataclasses
import json
from typing import Any

from azjax.config.run_config import to_dict
from azjax.runs.run_directory import check_is_empty
from azjax.studies.study import Study
from azjax.support.atomic_files import write_text_atomically
from azjax.support.errors import InputError

_FILE = "study.json"


def open_folder(study: Study) -> None:
    """Makes the study's folder, or makes sure that it holds this very study.

    Raises:
      InputError: It holds another study or something else, or cannot be written.
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
        there = json.loads((study.path / _FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{study.path / _FILE} cannot be read: {error}") from error
    here = json.loads(json.dumps(_describe(study)))
    if difference := _first_difference(there, here):
        raise InputError(
            f"{study.path} holds another study: {difference}; give the options that it was begun "
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


def _first_difference(there: Any, here: Any, path: str = "") -> str:
    """Returns where two descriptions first differ and how, or nothing."""
    if isinstance(there, dict) and isinstance(here, dict):
        for key in {**there, **here}:
            slot = f"{path}.{key}" if path else key
            if found := _first_difference(there.get(key), here.get(key), slot):
                return found
        return ""
    return "" if there == here else f"{path} is {_brief(there)} there, {_brief(here)} here"


def _brief(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
