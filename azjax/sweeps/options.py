"""The options of a sweep."""

import dataclasses
import pathlib
from typing import Annotated, Literal

import tyro

from azjax.agents.engine_player import EngineSettings
from azjax.config.limits import Limits
from azjax.support.validation import check_above, check_at_least, check_seed


@dataclasses.dataclass(frozen=True)
class SweepOptions:
    """Search for better hyperparameters than a preset's, in populations of trials.

    The same command resumes a stopped sweep. Run beside another worker of the same sweep, it adds
    a worker. The folder gets best.toml (the best configuration as a preset), trials.csv, figures
    and report.md.
    """

    preset: str
    """The preset that the sweep starts from: its name or its TOML file."""
    trials: int = 64
    """Trials to finish, by all workers together."""
    minutes: float = 20.0
    """Minutes, compilation counted, after which this worker stops."""
    space: pathlib.Path | None = None
    """A search-space file in TOML: ranges, choices and fixed values of the preset's fields. If not
    given: the ranges declared with the numbers of the preset's components."""
    only: tuple[str, ...] = ()
    """The only fields to sweep, each over its declared range, as in --only search.value_scale
    optimizer.learning_rate; all others keep the preset's values."""
    objective: Literal["accuracy", "rating"] = "accuracy"
    """What a trial's score is: accuracy with search on the validation half of the solved positions
    after equal training, and more than 1 if it is perfect sooner (1.792: after 20.8% of the
    training); or Elo above the opponent."""
    opponent: str = "mcts:simulations=200"
    """The opponent of a rating, named as for `azjax evaluate`."""
    engines: Annotated[EngineSettings, tyro.conf.arg(name="")] = dataclasses.field(
        default_factory=EngineSettings
    )
    truth: str | None = None
    """A CSV file of solved positions, or the name of one that comes with azjax. If not given: all
    positions of a game as small as tic-tac-toe, else, where accuracy is the objective, the file
    that comes with azjax for the game."""
    trial_minutes: float | None = None
    """Training time of each trial. If not given: minutes / trials."""
    trial_iterations: int | None = None
    """Iterations of each trial, in place of a training time; its schedules follow them."""
    places: int = 8
    """Trials that this worker trains at a time, in one population."""
    storage: str | None = None
    """URL of the database that the workers share. If not given: an SQLite file in the folder."""
    out: pathlib.Path | None = None
    """The folder of the results; its name is also the name of the study in the storage. If not
    given: sweeps/PRESET."""
    slurm: str | None = None
    """Submit the sweep as a job of SLURM, with these options of sbatch, as in --slurm="--partition
    gpu --gpus 1"; with "--ntasks 4 --gpus-per-task 1" as four workers."""
    seed: int = 0
    """Seed of the sampled values; each trial derives the seed of its training from it."""

    def __post_init__(self):
        """Raises ValueError if a number is out of range."""
        for field in ("trials", "places"):
            check_at_least(field, getattr(self, field), 1)
        check_above("minutes", self.minutes, 0)
        if self.trial_minutes is not None:
            check_above("trial_minutes", self.trial_minutes, 0)
        if self.trial_iterations is not None:
            check_at_least("trial_iterations", self.trial_iterations, 1)
        if self.only and self.space is not None:
            raise ValueError("only and space: give one of them")
        if self.trial_minutes is not None and self.trial_iterations is not None:
            raise ValueError("trial_minutes and trial_iterations: give one of them")
        check_seed(self.seed)

    @property
    def trial_limits(self) -> Limits:
        """The limits of a trial that were given, if any."""
        return Limits(self.trial_minutes, self.trial_iterations)
