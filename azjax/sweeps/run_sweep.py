"""Runs a session of a sweep, from the options to the results, as one of any number of workers."""

import pathlib
from typing import NamedTuple

import optuna
import sqlalchemy
from rich.console import Console

from azjax import games
from azjax.agents.engine_player import is_engine
from azjax.agents.player_spec import load_players
from azjax.config.limits import Limits
from azjax.config.preset_file import Preset, folder_name
from azjax.config.presets import find_preset
from azjax.evaluation import SolvedPositions, all_positions, is_solvable, require_positions
from azjax.support.errors import RunError, first_line, input_errors
from azjax.support.provenance.session_log import read_sessions, recorded_session
from azjax.sweeps.objective import score_accuracy, score_rating
from azjax.sweeps.options import SweepOptions
from azjax.sweeps.report import write_results
from azjax.sweeps.search_space import Space, make_space
from azjax.sweeps.storage import Heartbeat, file_url, open_storage, quiet_optuna
from azjax.sweeps.sweep import Sweep, check_folder, record_folder, recorded_trial_limits
from azjax.sweeps.trials import FINISHED, Trials, open_study
from azjax.sweeps.worker import Worker


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
