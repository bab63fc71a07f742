"""The folders of the runs that `azjax train` creates or reopens."""

import dataclasses
import shlex

import jax

from azjax import games
from azjax.cli.train.hints import plugin_flags
from azjax.cli.train.options import TrainOptions, TrainRequest
from azjax.config.grid import make_grid
from azjax.config.limits import Limits
from azjax.runs.run_directory import (
    RunDirectory,
    absolute_truth,
    check_is_free,
    create_run,
    is_run,
    open_run,
    runs_below,
)
from azjax.support.devices import make_mesh
from azjax.support.errors import InputError, input_errors


def create_runs(request: TrainRequest) -> list[RunDirectory]:
    """Creates the folders of new runs, after checking that their configurations can be trained.

    Raises:
      InputError: They cannot, or the folder is not empty.
    """
    options, preset = request.options, request.preset
    num_devices = options.devices
    with input_errors():
        games.make(options.config.train.game)
        if num_devices is None:
            num_devices = options.config.train.most_devices(len(jax.devices()))
        make_mesh(num_devices)
        options.config.train.check_devices(num_devices)
        grid = make_grid(options.config, options.seed_range, request.lists)
    preset_limits = Limits(preset.minutes, preset.iterations)
    limits = options.limits if options.limits.is_given else preset_limits
    check_is_free(request.folder)
    return [
        create_run(
            request.folder / run.name,
            request.preset_name,
            run.config,
            run.seed,
            num_devices,
            limits,
            absolute_truth(options.truth),
        )
        for run in grid
    ]


def reopen_runs(request: TrainRequest) -> list[RunDirectory]:
    """Opens runs to continue, with the limits and the truth that are given, if any.

    All measure accuracy on one truth: that of the first, if none is given.

    Raises:
      InputError: The folder holds no run or runs of another preset, or the arguments would change
        their configuration, seed or devices.
    """
    folder = request.folder
    below = [] if is_run(folder) else runs_below(folder)
    runs = [open_run(path) for path in below or [folder]]
    first = runs[0]
    if first.preset != request.preset_name:
        plugins = plugin_flags(first.preset, first.config)
        raise InputError(
            f"{folder} holds a run of {first.preset}: azjax train {shlex.quote(first.preset)} "
            f"--resume{plugins} --out {shlex.quote(str(folder))}"
        )
    default = TrainOptions(config=first.config, seed=first.seed, devices=first.num_devices)
    options = request.parse_over(default)
    if not _is_same(request, options, runs):
        raise InputError(
            f"{folder} was started with other options: a resumed run keeps its configuration, seed "
            "and devices, so leave them out"
        )
    truth = absolute_truth(options.truth) or first.truth
    return [
        dataclasses.replace(
            run, limits=options.limits if options.limits.is_given else run.limits, truth=truth
        )
        for run in runs
    ]


def _is_same(request: TrainRequest, options: TrainOptions, runs: list[RunDirectory]) -> bool:
    """Tells whether options, parsed over those of the first run, describe the runs.

    Options without lists and seeds may also describe the first of several runs alone.
    """
    first = runs[0]
    if options.devices != first.num_devices:
        return False
    with input_errors():
        grid = make_grid(options.config, options.seed_range, request.lists)
    if request.lists or options.seeds > 1 or len(runs) == 1:
        found = {(run.path.relative_to(request.folder).name, run.config, run.seed) for run in runs}
        return found == set(grid)
    return grid[0][1:] == (first.config, first.seed)
