"""What a run's description says of it, without importing the plug-ins that it names."""

import pathlib
from typing import NamedTuple

from azjax.config.limits import Limits
from azjax.config.run_config import from_dict
from azjax.runs.storage.run_description import DESCRIPTION, read_description
from azjax.support.errors import reading_errors


class RunFacts(NamedTuple):
    """The settings of a run that the view shows or needs."""

    game: str
    preset: str
    seed: int
    limits: Limits
    stop_when_perfect: bool
    rounds: int  # of a policy gradient
    is_trial: bool  # of a sweep, which continues it by itself


def read_facts(path: pathlib.Path) -> RunFacts:
    """Returns the facts of the run in a folder.

    Raises:
      InputError: Its description is damaged.
    """
    with reading_errors(path / DESCRIPTION):
        saved = read_description(path)
        config = saved["config"]
        return RunFacts(
            game=from_dict(str, config["train"]["game"], "game"),
            preset=from_dict(str, saved["preset"], "preset"),
            seed=from_dict(int, saved["seed"], "seed"),
            limits=from_dict(Limits, saved["limits"], "limits"),
            stop_when_perfect=from_dict(bool, config.get("stop_when_perfect", False)),
            rounds=from_dict(int, config["train"].get("rounds", 0), "rounds"),
            is_trial=from_dict(bool, saved.get("is_trial", False), "is_trial"),
        )
