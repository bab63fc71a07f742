"""What a sweep is asked to do."""

import dataclasses
import math
import pathlib
from typing import Literal

from azjax.support.validation import check_seed


@dataclasses.dataclass(frozen=True)
class SweepOptions:
    """Search for better hyperparameters than a preset's, in populations of trials.

    The same command goes on with a sweep that was stopped, and makes a worker more of one that is
    under way.
    """

    preset: str
    """What the sweep begins with: a preset's name, or a TOML file of one."""
    trials: int = 64
    """To be finished, by all workers together."""
    minutes: float = 20.0
    """Stop this worker after so many minutes."""
    space: pathlib.Path | None = None
    """A TOML file that narrows the space."""
    objective: Literal["accuracy", "rating"] = "accuracy"
    """Accuracy against truth after equal time, more than 1 for what is perfect sooner; or Elo above
    the opponent."""
    opponent: str = "mcts:simulations=200"
    """Of the rating, named as for `azjax evaluate`."""
    truth: str | None = None
    """A CSV file of solved positions, or the name of one that comes with azjax. If not given: all
    positions of a game as small as tic-tac-toe, else, where accuracy is the objective, the file
    that comes with azjax for the game."""
    trial_minutes: float | None = None
    """Training time of each trial; a trial's share of the minutes if not given."""
    slots: int = 8
    """Trials that this worker trains side by side."""
    storage: str | None = None
    """URL of the database that the workers share; an SQLite file in the folder if not given."""
    out: pathlib.Path | None = None
    """The folder; sweeps/PRESET if not given. Its name is the study's in the storage."""
    seed: int = 0
    """Of the draws; each trial trains from a seed of its own."""

    def __post_init__(self):
        """Raises ValueError where a number is out of range."""
        for field in ("trials", "places"):
            if getattr(self, field) < 1:
                raise ValueError(f"{field}={getattr(self, field)}: must be at least 1")
        for field in ("minutes", "trial_minutes"):
            value = getattr(self, field)
            if value is not None and not 0 < value < math.inf:
                raise ValueError(f"{field}={value}: must be above 0")
        check_seed(self.seed)
