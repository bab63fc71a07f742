"""`azjax train`."""

import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from azjax import games
from azjax.cli.output import console, warn
from azjax.cli.process import go_on_without_output
from azjax.cli.train.folders import create_runs, reopen_runs
from azjax.cli.train.hints import how_to_resume, warnings_on_replay
from azjax.cli.train.options import TrainRequest, parse_request
from azjax.cli.train.processes import train_in_group
from azjax.cli.train.report import (
    print_changes,
    print_finished,
    print_how_to_resume,
    print_outcome,
    print_outcomes,
)
from azjax.evaluation import SolvedPositions, find_positions
from azjax.games.laws.check import check_plugin_game
from azjax.runs.population import train_population
from azjax.runs.reporting.progress import TrainingProgress
from azjax.runs.resuming import why_finished
from azjax.runs.session import Outcome
from azjax.runs.storage.run_directory import RunDirectory
from azjax.runs.storage.run_folders import owned_runs
from azjax.support.errors import RunError, input_errors
from azjax.support.files.ownership import owned
from azjax.support.provenance.commit import describe_package
from azjax.support.signals import INTERRUPTED


def train_command(arguments: list[str]) -> None:
    """Runs `azjax train PRESET ...`."""
    request = parse_request(arguments)
    go_on_without_output()
    train_in_group(request, _train_request)


def _train_request(request: TrainRequest) -> None:
    """Trains what is asked for, in new folders or from the checkpoints of old ones."""
    if request.options.resume:
        runs = reopen_runs(request)
        positions = _positions_finder(runs[0].config.train.game, runs[0].truth)
        finished = {run: ending for run in runs if (ending := why_finished(run))}
        if len(finished) == len(runs):
            print_finished(request, finished)
            return
    else:  # reads the positions before it creates a folder
        positions = _positions_finder(request.options.config.train.game, request.options.truth)
        runs = create_runs(request)
        warn([*request.told, *warnings_on_replay(request.options.config.train)])
    console.print(describe_package(), highlight=False, soft_wrap=True)
    warn(check_plugin_game(runs[0].config.train.game))
    try:
        with _owned_parent(request, runs), owned_runs(runs) as runs:
            if request.options.resume:
                print_changes(runs, positions() if runs[0].truth else None)
            _train(request, runs, positions)
    except KeyboardInterrupt as stop:  # the second one, which saves nothing
        raise KeyboardInterrupt(_how_to_continue(request)) from stop


def _how_to_continue(request: TrainRequest) -> str:
    return f"continue with: {how_to_resume(request)}"


def _owned_parent(request: TrainRequest, runs: list[RunDirectory]) -> AbstractContextManager:
    """Owns the parent folder of several runs."""
    is_parent = any(run.path != request.folder for run in runs)
    return owned(request.folder) if is_parent else nullcontext()


def _positions_finder(game_name: str, given: str | None) -> Callable[[], SolvedPositions | None]:
    """Returns a function that finds the solved positions to measure accuracy on.

    A file that is given is read at once, so that its errors come before the training.
    """
    with input_errors():
        game = games.make(game_name)
        if given is None:
            return lambda: find_positions(game)
        positions = find_positions(game, given)
    return lambda: positions


def _train(
    request: TrainRequest, runs: list[RunDirectory], positions: Callable[[], SolvedPositions | None]
) -> None:
    """Trains the runs, and prints their results.

    Raises:
      RunError: A run failed.
      SystemExit: The training was interrupted.
    """
    began = time.perf_counter()
    outcomes: dict[RunDirectory, Outcome] = {}
    was_interrupted = train_population(
        iter(runs),
        len(runs),
        positions,
        TrainingProgress(console, names_runs=len(runs) > 1),
        on_end=outcomes.__setitem__,
        how_to_continue=_how_to_continue(request),
    )
    seconds = time.perf_counter() - began
    failed = {run: outcome.error for run, outcome in outcomes.items() if outcome.error}
    if len(runs) == 1:
        for error in failed.values():
            raise error
    if was_interrupted:
        print_how_to_resume(request, outcomes)
    elif len(runs) == 1:
        print_outcome(runs[0], request.options, outcomes[runs[0]], seconds)
    else:
        print_outcomes(request.folder, {run: outcomes[run] for run in runs}, seconds)
    if failed:
        run, error = next(iter(failed.items()))
        raise RunError(f"{len(failed)} of {len(runs)} runs could not continue: {run.path}: {error}")
    if was_interrupted:
        sys.exit(INTERRUPTED)
