"""Runs a session of a sweep, from the options to the results, as one of any number of workers."""

import dataclasses
import pathlib
from typing import Annotated, Literal, NamedTuple

import optuna
import sqlalchemy
import tyro
from rich.console import Console

from azjax import games
from azjax.agents.engine_player import EngineSettings, is_engine
from azjax.agents.player_spec import load_players
from azjax.config.limits import Limits
from azjax.config.preset_file import Preset, folder_name
from azjax.config.presets import find_preset
from azjax.evaluation import SolvedPositions, all_positions, is_solvable, require_positions
from azjax.support.errors import RunError, first_line, input_errors
from azjax.support.provenance.session_log import read_sessions, recorded_session
from azjax.support.validation import check_above, check_at_least, check_seed
from azjax.sweeps.objective import score_accuracy, score_rating
from azjax.sweeps.report import write_results
from azjax.sweeps.search_space import Space, make_space
from azjax.sweeps.storage import Heartbeat, file_url, open_storage, quiet_optuna
from azjax.sweeps.sweep import Sweep, check_folder, record_folder, recorded_trial_limits
from azjax.sweeps.trials import FINISHED, Trials, open_study
from azjax.sweeps.worker import Worker


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


class SweepOutcome(NamedTuple):
    """The state of a sweep at the end of a session."""

    folder: pathlib.Path
    sweep: Sweep
    preset: Preset
    trials: list[optuna.trial.FrozenTrial]  # of all workers
    num_finished: int
    was_interrupted: bool  # by a signal


def run_sweep(options: SweepOptions, command: str, console: Console) -> SweepOutcome:
    """Trains trials as one worker, and writes the results of all workers.

    The report quotes the command; the console shows progress.

    Raises:
      InputError: An option is wrong; no file is changed.
      RunError: The storage was lost, or no trial has a score at the end.
    """
    folder = sweep_folder(options)
    with input_errors():
        preset = find_preset(options.preset)
        space = make_space(preset.config, options.space, options.only)
    positions = _find_positions(options, space)
    with input_errors():
        sweep = _make_sweep(options, space, positions, folder)
    check_folder(folder, sweep)
    with quiet_optuna():
        storage, study = _open(options, folder, sweep)
        try:
            with Heartbeat(storage) as heartbeat:
                trials = Trials(study, sweep.space, sweep.seed, heartbeat)
                rating = sweep.opponent and score_rating(sweep.opponent, options.engines)
                worker = Worker(
                    sweep,
                    trials,
                    rating or score_accuracy,
                    positions,
                    folder / "trials",
                    console,
                    options.trials,
                    options.places,
                    seconds=60 * options.minutes,
                )
                with recorded_session(folder, command, "optuna"):
                    was_interrupted = worker.work()
            num_finished = trials.count(*FINISHED)
            if trials.best():
                write_results(folder, sweep, preset, study, read_sessions(folder))
            elif num_finished >= options.trials:
                raise RunError(
                    f"{folder}: none of {num_finished} trials has a score, as each failed or was "
                    "stopped early: mend the cause, and begin again with another --out"
                )
            trials_of_all = study.get_trials()
            return SweepOutcome(folder, sweep, preset, trials_of_all, num_finished, was_interrupted)
        except (optuna.exceptions.StorageInternalError, sqlalchemy.exc.SQLAlchemyError) as error:
            raise RunError(
                f"the storage was lost ({first_line(error)}); the same command continues with the "
                "trials in it"
            ) from error


def sweep_folder(options: SweepOptions) -> pathlib.Path:
    """Returns the folder of the results."""
    return options.out or pathlib.Path("sweeps") / folder_name(options.preset)


def _make_sweep(
    options: SweepOptions, space: Space, positions: SolvedPositions | None, folder: pathlib.Path
) -> Sweep:
    opponent = options.opponent if options.objective == "rating" else None
    if opponent:
        load_players([opponent], space.base.train.game, simulations=1)
    given = [options.trial_limits, recorded_trial_limits(folder)]
    limits = next((x for x in given if x.is_given), Limits(options.minutes / options.trials))
    engines = options.engines if opponent and is_engine(opponent) else None
    return Sweep(
        preset=options.preset,
        space=space,
        objective=options.objective,
        opponent=opponent,
        positions=None if positions is None else positions.description,
        trial_limits=limits,
        seed=options.seed,
        engine_seconds=engines.engine_seconds if engines else None,
        on_engine_error=engines.on_engine_error if engines else None,
    )


def _find_positions(options: SweepOptions, space: Space) -> SolvedPositions | None:
    """Returns the positions that trials are measured on; a rating needs none."""
    with input_errors():
        game = games.make(space.base.train.game)
        if options.objective == "rating" and options.truth is None:
            return all_positions(game) if is_solvable(game) else None
        positions = require_positions(game, options.truth)
        if options.objective == "accuracy" and not positions.in_validation.any():
            raise ValueError(
                f"{positions.description}: one half of the positions chooses the best trial, and "
                "the other reports on it, so at least two are needed"
            )
        return positions


def _open(
    options: SweepOptions, folder: pathlib.Path, sweep: Sweep
) -> tuple[optuna.storages.RDBStorage, optuna.Study]:
    """Opens the storage and the study in it, and creates the folder."""
    url = options.storage or file_url(folder / "study.db")
    if options.storage is None:  # the file is in the folder
        record_folder(folder, sweep)
    storage = open_storage(url)
    first = sweep.space.values_of(sweep.space.base)
    study = open_study(storage, folder.resolve().name, sweep.describe(), first)
    if options.storage is not None:  # after the check that the study is not another sweep's
        record_folder(folder, sweep)
    return storage, study
