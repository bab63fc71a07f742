"""`azjax train`, as one process or as one of a group."""

import os
import shlex
import sys
import time

from azjax.agents.train import Settings, Training, new_training, reopened_training
from azjax.cli.output import console, warn
from azjax.cli.process import go_on_without_output, interrupted_with
from azjax.cli.train.options import TrainRequest, parse_request
from azjax.cli.train.report import print_finished, print_outcome, print_outcomes
from azjax.cli.train.row_logs import RowLog, logging_rows
from azjax.distributed.exchange import is_leader
from azjax.distributed.group import (
    ProcessGroup,
    group_of_flags,
    group_of_slurm,
    own_group,
    start_in_group,
)
from azjax.distributed.join import training_together
from azjax.runs.reporting.progress import TrainingProgress
from azjax.runs.resuming import why_finished
from azjax.runs.session import Outcome
from azjax.runs.slots import follow, leading
from azjax.runs.storage.run_directory import RunDirectory
from azjax.runs.storage.run_folders import open_run
from azjax.support.arguments import without_flags
from azjax.support.errors import RunError
from azjax.support.provenance.commit import describe_package
from azjax.support.signals import INTERRUPTED, stop_requests
from azjax.training import TrainConfig

_MOST_REPLAY_RATIO = 8  # beyond, networks overfit; presets have 1 to 4
_USUAL_REPLAY_RATIO = 4


def train_command(arguments: list[str]) -> None:
    """Runs `azjax train PRESET ...`, alone or as a process of a group."""
    request = parse_request(arguments)
    go_on_without_output()
    if own_group() is None:
        if group := _find_group(request):
            _print_waiting(group)
            start_in_group(group)
        _train(request)
        return
    with training_together(without_flags(sys.argv[1:], "--distributed.")):
        if is_leader():
            with leading():
                _train(request)
        else:
            with stop_requests() as stop_requested:
                status = follow(stop_requested)
            sys.exit(status)


def _train(request: TrainRequest) -> None:
    """Trains what is asked for, and prints the results.

    Raises:
      RunError: A run failed.
      SystemExit: The training was interrupted.
    """
    options = request.options
    with logging_rows(as_json=options.log_json, wandb_project=options.wandb) as log:
        _train_logging(request, log)


def _train_logging(request: TrainRequest, log: RowLog) -> None:
    training = open_training(request)
    if training.is_resumed:
        finished = {run: ending for run in training.runs if (ending := why_finished(run))}
        if len(finished) == len(training.runs):
            print_finished(request.folder, finished)
            return
    warn(training.warnings)
    console.print(describe_package(), highlight=False, soft_wrap=True)
    runs = training.runs
    is_population = any(run.path != request.folder for run in runs)
    outcomes: dict[RunDirectory, Outcome] = {}
    began, again = time.perf_counter(), f"continue with: {how_to_resume(request)}"
    parent = request.folder if is_population else None
    progress = TrainingProgress(console, names_runs=len(runs) > 1, on_row=log)
    with interrupted_with(again):  # by the second Ctrl-C, which saves nothing
        was_interrupted = training.train(progress, outcomes.__setitem__, parent)
    _report(request, runs, outcomes, time.perf_counter() - began, was_interrupted=was_interrupted)


def open_training(request: TrainRequest) -> Training:
    """Reopens runs, or creates the folders of new ones."""
    options = request.options
    settings = Settings(
        options.limits,
        options.truth,
        options.devices,
        keep_all_networks=options.keep_all_networks,
        budget_shares=options.budget_shares,
        init_from=options.init_from,
    )
    if options.resume:
        return reopened_training(request.resumed or [open_run(request.folder)], settings)
    name, limits = request.preset_name, request.preset.limits
    training = new_training(name, request.folder, request.grid, settings, limits)
    training.warnings[:0] = [*request.told, *warnings_on_replay(options.config.train)]
    return training


def _report(
    request: TrainRequest,
    runs: list[RunDirectory],
    outcomes: dict[RunDirectory, Outcome],
    seconds: float,
    *,
    was_interrupted: bool,
) -> None:
    """Prints the results; raises RunError if a run failed, SystemExit if it was interrupted."""
    failed = {run: outcome.error for run, outcome in outcomes.items() if outcome.error}
    if len(runs) == 1:
        for error in failed.values():
            raise error
    if was_interrupted:
        rows = [outcome.rows[-1] for outcome in outcomes.values() if outcome.rows]
        reached = max((row["iteration"] for row in rows), default=0)
        done = f"and saved at iteration {reached}" if reached else "before the first iteration"
        again = f"Stopped {done}. Continue with: {how_to_resume(request)}"
        console.print(again, soft_wrap=True)
    elif len(runs) == 1:
        print_outcome(runs[0], outcomes[runs[0]], seconds)
    else:
        print_outcomes(request.folder, {run: outcomes[run] for run in runs}, seconds)
    if failed:
        run, error = next(iter(failed.items()))
        raise RunError(f"{len(failed)} of {len(runs)} runs could not continue: {run.path}: {error}")
    if was_interrupted:
        sys.exit(INTERRUPTED)


def how_to_resume(request: TrainRequest) -> str:
    """Returns the command that continues the runs; their folder alone tells which they are."""
    if own_group():
        return "the commands of all processes, with --resume"
    return f"azjax train --resume --out {shlex.quote(str(request.folder))}"


def warnings_on_replay(config: TrainConfig) -> list[str]:
    """Returns a warning if positions are trained on too often, with what mends it."""
    is_high = config.replay_ratio > _MOST_REPLAY_RATIO
    has_new_targets = any(part.fills("reanalyse") for part in config.parts)
    if config.replay is not None or has_new_targets or not is_high:
        return []
    samples = _USUAL_REPLAY_RATIO * config.positions_per_iteration
    return [
        f"each position is trained on {config.replay_ratio:.3g} times (the replay ratio), and "
        f"above {_MOST_REPLAY_RATIO} a network tends to overfit: it is {_USUAL_REPLAY_RATIO} with "
        f"--num-updates times --batch-size {samples:,}"
    ]


def _find_group(request: TrainRequest) -> ProcessGroup | None:
    options = request.options.distributed
    if options.num_processes == 1:
        return None
    return group_of_flags(options) or group_of_slurm(os.environ, options.initialization_timeout)


def _print_waiting(group: ProcessGroup) -> None:
    if group.process_id == 0:
        print(
            f"waiting for all {group.num_processes} processes at {group.coordinator_address}, "
            f"at most {group.initialization_timeout} seconds",
            file=sys.stderr,
            flush=True,
        )
