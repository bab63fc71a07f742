"""The folders of the runs that `azjax train` creates or reopens."""

import dataclasses
import shlex

import jax

from azjax import games
from azjax.agents.agent import load_agent
from azjax.agents.initial_network import initial_network
from azjax.cli.output import warn
from azjax.cli.train.options import TrainOptions, TrainRequest
from azjax.config.fields import list_fields
from azjax.config.flags import choose_components
from azjax.config.grid import GridRun, make_grid
from azjax.config.limits import Limits
from azjax.runs.storage.run_directory import RunDirectory
from azjax.runs.storage.run_folders import (
    absolute_truth,
    check_is_free,
    create_run,
    is_run,
    open_run,
    runs_below,
    shares_of_run,
)
from azjax.support.errors import InputError, input_errors
from azjax.support.machine.devices import make_global_mesh


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
            num_devices = options.config.train.most_devices(jax.device_count(), jax.process_count())
        make_global_mesh(num_devices)
        options.config.train.check_devices(num_devices)
        grid = make_grid(options.config, options.seed_range, request.lists)
    limits = options.limits if options.limits.is_given else preset.limits
    shares: list[float] = []
    if options.budget_shares:
        shares = shares_of_run(open_run(options.budget_shares))
        limits = Limits(iterations=len(shares))
    check_is_free(request.folder)
    agent = load_agent(options.init_from) if options.init_from else None
    warn(agent.warnings if agent else [])
    return [
        create_run(
            RunDirectory(
                request.folder / run.name,
                request.preset_name,
                run.config,
                run.seed,
                num_devices,
                limits,
                absolute_truth(options.truth),
                keep_all_networks=options.keep_all_networks,
            ),
            shares,
            initial_network(agent, run.config.train, run.seed) if agent else None,
        )
        for run in grid
    ]


def reopen_runs(request: TrainRequest) -> list[RunDirectory]:
    """Opens runs to continue, with the limits and the truth that are given, if any.

    All measure accuracy on one truth: that of the first, if none is given.

    Raises:
      InputError: The folder holds no run or runs of another preset, or the arguments would change
        their configuration or seed, or there are fewer devices.
    """
    folder = request.folder
    below = [] if is_run(folder) else runs_below(folder)
    runs = [open_run(path) for path in below or [folder]]
    first = runs[0]
    if first.preset != request.preset_name:
        again = shlex.quote(str(folder))
        raise InputError(
            f"{folder} holds a run of {first.preset}: azjax train --resume --out {again}"
        )
    default = TrainOptions(
        config=choose_components(first.config, request.arguments, request.command),
        seed=first.seed,
        devices=first.num_devices,
        keep_all_networks=first.keep_all_networks,
    )
    options = request.parse_over(default)
    if difference := _first_difference(request, options, runs):
        raise InputError(
            f"{folder} was started with other options ({difference}): a resumed run keeps its "
            "configuration and its seed, so leave them out"
        )
    num_devices = first.num_devices if options.devices is None else options.devices
    _check_devices(first, num_devices)
    truth = absolute_truth(options.truth) or first.truth
    return [
        dataclasses.replace(
            run,
            num_devices=num_devices,
            limits=options.limits if options.limits.is_given else run.limits,
            truth=truth,
            keep_all_networks=options.keep_all_networks,
        )
        for run in runs
    ]


def _check_devices(run: RunDirectory, num_devices: int) -> None:
    """Raises InputError if a run cannot go on with so many devices."""
    train = run.config.train
    try:
        make_global_mesh(num_devices)
        train.check_devices(num_devices)
    except ValueError as error:
        most = train.most_devices(jax.device_count(), jax.process_count())
        raise InputError(f"{error}; or go on by --resume --devices {most}") from error


def _first_difference(
    request: TrainRequest, options: TrainOptions, runs: list[RunDirectory]
) -> str | None:
    """Returns how options, parsed over those of the first run, differ from the runs, if they do.

    Options without lists and seeds may also describe the first of several runs alone.
    """
    with input_errors():
        grid = make_grid(options.config, options.seed_range, request.lists)
    found = [
        GridRun(run.path.relative_to(request.folder).name, run.config, run.seed) for run in runs
    ]
    if not request.lists and options.seeds == 1:
        found = [found[0]._replace(name="")]
    before, after = ([_fields(run) for run in some] for some in (found, grid))
    for name in before[0]:
        was, now = (dict.fromkeys(fields.get(name) for fields in some) for some in (before, after))
        if set(was) != set(now):
            return f"{name} was {', '.join(map(str, was))}, is {', '.join(map(str, now))}"
    return None


def _fields(run: GridRun) -> dict[str, object]:
    """Returns the options of a run by the names of their flags, and last its folder's name."""
    values = list_fields(run.config)
    return {"seed": run.seed, **values, "folder": run.name or "the only one"}
