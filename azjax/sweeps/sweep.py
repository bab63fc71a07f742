"""The settings of a sweep, as its directory and its Optuna study record them."""

import dataclasses
import json
import pathlib
from typing import Any, Literal

from azjax.config.limits import Limits
from azjax.config.run_config import RunConfig
from azjax.config.stored_config import read_config, store_config
from azjax.config.stored_values import parse_value
from azjax.runs.storage.run_folders import check_is_empty
from azjax.support.errors import InputError, reading_errors, writing_errors
from azjax.support.files.atomic_files import write_text_atomically
from azjax.support.files.reading import read_json
from azjax.sweeps.search_space import Space, Values

_FILE = "sweep.json"


@dataclasses.dataclass(frozen=True)
class Sweep:
    """The settings that make the scores of two sweeps comparable."""

    preset: str
    space: Space
    objective: Literal["accuracy", "rating"]
    opponent: str | None
    positions: str | None
    trial_limits: Limits
    seed: int
    engine_seconds: int | None = None  # of an opponent that is an engine; else None
    on_engine_error: str | None = None

    def trial_config(self, values: Values) -> RunConfig:
        """Returns the configuration of a trial with these values.

        All trials are evaluated by the search of the base: by its own, a trial could score more
        for constants that suit the evaluation and not the training.
        """
        return self.space.config(values).evaluated_as(self.space.base)

    def describe(self) -> dict[str, Any]:
        """Returns the settings as JSON values."""
        ranges = {name: dataclasses.asdict(range_) for name, range_ in self.space.ranges.items()}
        choices = {name: list(values) for name, values in self.space.choices.items()}
        others = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        del others["trial_limits"]
        limits = {f"trial_{unit}": x for unit, x in dataclasses.asdict(self.trial_limits).items()}
        space = {"ranges": ranges, "choices": choices, "config": store_config(self.space.base)}
        # Read back, because a tuple is a list in JSON.
        return json.loads(json.dumps(others | limits | {"space": space}))


def read_settings(recorded: dict[str, Any]) -> dict[str, Any]:
    """Returns recorded settings as this azjax, which may have more fields, describes the same.

    Raises ValueError where it lacks fields, or they are of an older azjax.
    """
    space = recorded["space"]
    config = json.loads(json.dumps(store_config(read_config(space["config"]))))
    return recorded | {"space": space | {"config": config}}


def recorded_trial_limits(out: pathlib.Path) -> Limits:
    """Returns the limits of a trial that a folder records, if any; raises InputError if damaged."""
    recorded = _read(out)
    limits = {unit: recorded.get(f"trial_{unit}") for unit in ("minutes", "iterations")}
    with reading_errors(out / _FILE):
        return parse_value(Limits, limits)


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
    """Creates the folder and writes the settings; several workers may do so at once."""
    with writing_errors(out):
        out.mkdir(parents=True, exist_ok=True)
        write_text_atomically(out / _FILE, json.dumps(sweep.describe(), indent=2) + "\n")


def _read(out: pathlib.Path) -> dict[str, Any]:
    path = out / _FILE
    if not path.is_file():
        return {}
    with reading_errors(path):
        return read_settings(dict(read_json(path)))
