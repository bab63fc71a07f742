"""A session of a sweep: from what is asked to the results, as one worker of perhaps many."""

import pathlib
from typing import NamedTuple

import optuna
import sqlalchemy
from rich.console import Console

from azjax.agents.player_spec import load_players
from azjax.config.preset_file import folder_name
from azjax.config.presets import find_preset
from azjax.evaluation import Truth
from azjax.runs.positions import SolvedPositions, find_positions
from azjax.support.errors import RunError, in_short, input_errors
from azjax.support.session_log import read_sessions, recorded_session
from azjax.sweeps.heartbeat import Heartbeat
from azjax.sweeps.objective import score_accuracy, score_rating
from azjax.sweeps.options import SweepOptions
from azjax.sweeps.results import write_results
from azjax.sweeps.search_space import Space
from azjax.sweeps.search_space_file import make_space
from azjax.sweeps.storage import open_storage, quiet_optuna
from azjax.sweeps.sweep import Sweep, check_folder, record_folder, recorded_trial_minutes
from azjax.sweeps.trials import FINISHED, Trials, open_study
from azjax.sweeps.worker import Worker


class Ended(NamedTuple):
    """How a session ended."""

    folder: pathlib.Path
    sweep: Sweep
    trials: list[optuna.trial.FrozenTrial]  # of all workers
    num_finished: int


def run_session(
    options: SweepOptions, shipped: pathlib.Path, command: str, console: Console
) -> Ended:
    """Trains trials as one worker, and writes the results of all.

    Args:
      options: What is asked.
      shipped: The folder of truth files for games that are too large to be solved.
      command: How, for the report.
      console: What a person sees.

    Raises:
      InputError: It cannot be done; what was there is as it was.
      RunError: The storage was lost on the way.
    """
    folder = options.out or pathlib.Path("sweeps") / folder_name(options.preset)
    with input_errors():
        preset = find_preset(options.preset)
        space = make_space(preset.config, options.space)
    positions = _find_positions(options, space, shipped)
    with input_errors():
        sweep = _make_sweep(options, space, positions, folder)
    check_folder(folder, sweep)
    with quiet_optuna():
        storage, study = _open(options, folder, sweep)
        try:
            with Heartbeat(storage) as heartbeat:
                trials = Trials(study, sweep.space, sweep.seed, heartbeat)
                truth = positions and positions.truth
                worker = _make_worker(options, sweep, trials, truth, folder, console)
                with recorded_session(folder, command, "optuna"):
                    worker.work()
            if trials.best():
                write_results(folder, sweep, preset, study, read_sessions(folder))
            return Ended(folder, sweep, study.get_trials(), trials.count(*FINISHED))
        except (optuna.exceptions.StorageInternalError, sqlalchemy.exc.SQLAlchemyError) as error:
            raise RunError(
                f"the storage was lost ({in_short(error)}); the same command goes on from the "
                "trials that it holds"
            ) from error


def _make_sweep(
    options: SweepOptions,
    space: Space,
    positions: SolvedPositions | None,
    folder: pathlib.Path,
) -> Sweep:
    is_rating = options.objective == "rating"
    if is_rating:
        load_players([options.opponent], space.base.train.game, simulations=1)
    return Sweep(
        preset=options.preset,
        space=space,
        objective=options.objective,
        opponent=options.opponent if is_rating else None,
        positions=positions and positions.description,
        trial_minutes=options.trial_minutes
        or recorded_trial_minutes(folder)
        or options.minutes / options.trials,
        seed=options.seed,
    )


def _find_positions(
    options: SweepOptions, space: Space, shipped: pathlib.Path
) -> SolvedPositions | None:
    """Returns the positions that trials are measured on, or None where a rating needs none."""
    if options.objective == "rating" and options.truth is None:
        return None
    return find_positions(space.base.train.game, options.truth, shipped)


def _open(
    options: SweepOptions, folder: pathlib.Path, sweep: Sweep
) -> tuple[optuna.storages.RDBStorage, optuna.Study]:
    """Opens the storage and the study in it, and makes the folder."""
    if options.storage is None:  # the file is in the folder
        record_folder(folder, sweep)
    storage = open_storage(options.storage or f"sqlite:///{folder / 'study.db'}")
    first = sweep.space.values_of(sweep.space.base)
    study = open_study(storage, folder.resolve().name, sweep.describe(), first)
    if options.storage is not None:  # only now is it sure that it is not another sweep's
        record_folder(folder, sweep)
    return storage, study


def _make_worker(
    options: SweepOptions,
    sweep: Sweep,
    trials: Trials,
    truth: Truth | None,
    folder: pathlib.Path,
    console: Console,
) -> Worker:
    objective = score_rating(sweep.opponent) if sweep.opponent else score_accuracy
    return Worker(
        sweep,
        trials,
        objective,
        truth,
        folder / "trials",
        console,
        num_trials=options.trials,
        num_slots=options.slots,
        seconds=60 * options.minutes,
    )
