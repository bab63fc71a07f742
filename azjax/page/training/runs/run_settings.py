"""The settings of a run, read without importing the plug-ins that its description names."""

import pathlib
from typing import NamedTuple

from azjax.config.limits import Limits
from azjax.config.stored_values import parse_value
from azjax.runs.storage.run_description import DESCRIPTION, read_description
from azjax.support.errors import reading_errors


class RunSettings(NamedTuple):
    """The settings of a run that the view shows or needs."""

    game: str
    preset: str
    seed: int
    limits: Limits
    stop_when_perfect: bool
    rounds: int  # of a policy gradient
    is_trial: bool  # of a sweep, which continues it by itself


def read_run_settings(path: pathlib.Path) -> RunSettings:
    """Returns the settings of the run in a folder.

    Raises:
      InputError: Its description is damaged.
    """
    with reading_errors(path / DESCRIPTION):
        saved = read_description(path)
        config = saved["config"]
        return RunSettings(
            game=parse_value(str, config["game"], "game"),
            preset=parse_value(str, saved["preset"], "preset"),
            seed=parse_value(int, saved["seed"], "seed"),
            limits=parse_value(Limits, saved["limits"], "limits"),
            stop_when_perfect=parse_value(bool, config.get("stop_when_perfect", False)),
            rounds=parse_value(int, config["algorithm"].get("rounds", 0), "rounds"),
            is_trial=parse_value(bool, saved.get("is_trial", False), "is_trial"),
        )
