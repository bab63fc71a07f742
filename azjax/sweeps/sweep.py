"""The settings of a sweep, as its directory and its Optuna study record them."""

import dataclasses
import json
import pathlib
from typing import Any, Literal

from azjax.config.run_config import to_dict
from azjax.runs.storage.run_directory import check_is_empty
from azjax.support.atomic_files import write_text_atomically
from azjax.support.errors import InputError
from azjax.sweeps.search_space import Space

_FILE = "sweep.json"


@dataclasses.dataclass(frozen=True)
class Sweep:
    """The settings that make the scores of two sweeps comparable."""

    preset: str
    space: Space
    objective: Literal["accuracy", "rating"]
    opponent: str | None
    positions: str | None
    trial_minutes: float
    seed: int

    def describe(self) -> dict[str, Any]:
        """Returns the settings as JSON values."""
        ranges = {name: dataclasses.asdict(range_) for name, range_ in self.space.ranges.items()}
        choices = {name: list(values) for name, values in self.space.choices.items()}
        others = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        space = {"ranges": ranges, "choices": choices, "config": to_dict(self.space.base)}
        return others | {"space": space}


def recorded_trial_minutes(out: pathlib.Path) -> float | None:
    """Returns the training time of a trial that a folder records, or None."""
    return _read(out).get("trial_minutes")


def check_folder(out: pathlib.Path, sweep: Sweep) -> None:
    """Raises InputError if the folder holds another sweep, or anything else."""
    recorded = _read(out)
    if recorded:
        described = sweep.describe()
        other = [name for name in described if recorded.get(name) != described[name]]
        if other:
            raise InputError(
                f"{out} holds a sweep with another {' and '.join(other)} (see {_FILE} there): "
                "give the same, or choose another folder with --out"
            )
    else:
        check_is_empty(out)


def record_folder(out: pathlib.Path, sweep: Sweep) -> None:
    """Creates the folder and writes the settings; several workers may do so at once.

    Raises:
      InputError: The folder cannot be written.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
        write_text_atomically(out / _FILE, json.dumps(sweep.describe(), indent=2) + "\n")
    except OSError as error:
        raise InputError(f"{out} cannot be written: {error.strerror}") from error


def _read(out: pathlib.Path) -> dict[str, Any]:
    path = out / _FILE
    if not path.is_file():
        return {}
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, TypeError, ValueError) as error:
        raise InputError(f"{path} cannot be read: {error}") from error
