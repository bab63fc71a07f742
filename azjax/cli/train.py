"""`azjax train`."""

import dataclasses
import math
import pathlib
import shlex
import sys
import time
from collections.abc import Callable
from typing import Annotated

import jax
import tyro

from azjax import games
from azjax.cli.output import add_accuracy, console, make_table
from azjax.cli.process import INTERRUPTED
from azjax.config.flags import parse_flags, split_lists
from azjax.config.grid import make_grid
from azjax.config.limits import Limits
from azjax.config.preset_file import Preset, folder_name
from azjax.config.presets import find_preset, preset_names
from azjax.config.run_config import RunConfig
from azjax.evaluation import SolvedPositions, find_positions, is_solvable
from azjax.runs.population import train_population
from azjax.runs.progress import TrainingProgress
from azjax.runs.run_directory import (
    RunDirectory,
    check_is_free,
    create_run,
    is_run,
    open_run,
    runs_below,
)
from azjax.runs.session import Outcome
from azjax.support.devices import make_mesh
from azjax.support.errors import InputError, RunError, input_errors
from azjax.support.validation import check_seed


@dataclasses.dataclass(frozen=True)
class TrainOptions:
    """Train an agent from nothing but the rules.

    A hyperparameter with several values, as in --hparams.learning-rate 1e-3 3e-3, trains a run of
    each side by side. A preset has defaults of its own: `azjax train connect_four --help` shows
    those of Connect Four.
    """

    out: pathlib.Path | None = None
    """The run's folder, or that of several runs' folders; runs/PRESET if not given."""
    seed: int = 0
    """Of all the run's randomness."""
    seeds: int = 1
    """Train so many runs side by side, of this seed and of those that follow it."""
    minutes: float | None = None
    """Stop after so many minutes of training, in a run's earlier sessions too; compiling, looks at
    accuracy and saving do not count. Of several runs each counts its share of the time."""
    iterations: int | None = None
    """Stop after so many iterations in all."""
    resume: bool = False
    """Go on with what the folder holds, from the newest checkpoints."""
    truth: str | None = None
    """The solved positions to measure accuracy on: a CSV file, or the name of one that comes with
    azjax, such as connect_four_strong_play. If not given: all positions of a game as small as
    tic-tac-toe, else the file that comes with azjax for the game, if there is one."""
    devices: int | None = None
    """Devices to lay the games over; as many as there are and fit if not given."""
    config: Annotated[RunConfig, tyro.conf.arg(name="")] = dataclasses.field(
        default_factory=RunConfig
    )

    def __post_init__(self):
        """Raises ValueError where a limit is out of range."""
        if self.minutes is not None and not 0 < self.minutes < math.inf:
            raise ValueError(f"minutes={self.minutes}: must be above 0")
        if self.iterations is not None and self.iterations < 1:
            raise ValueError(f"iterations={self.iterations}: must be at least 1")
        if self.seeds < 1:
            raise ValueError(f"seeds={self.seeds}: must be at least 1")
        check_seed(self.seed)
        check_seed(self.seed + self.seeds - 1)

    @property
    def limits(self) -> Limits:
        """The limits that were given, if any was."""
        return Limits(self.minutes, self.iterations)


def train_command(arguments: list[str]) -> None:
    """Runs `azjax train PRESET ...`."""
    name, arguments = _split_name(arguments)
    with input_errors():
        preset = find_preset(name)
    lists, arguments = split_lists(arguments)
    command = f"azjax train {name}"
    options = parse_flags(TrainOptions, arguments, command, TrainOptions(config=preset.config))
    folder = options.out or pathlib.Path("runs") / folder_name(name)
    if options.resume:
        runs = _reopen(folder, name, lists, arguments, command)
        positions = _positions_finder(options, runs[0].config)
    else:
        positions = _positions_finder(options, options.config)
        runs = _create(folder, name, preset, options, lists)
    if options.limits.is_given:
        runs = [dataclasses.replace(run, limits=options.limits) for run in runs]
    _train(folder, runs, positions, options)


def _split_name(arguments: list[str]) -> tuple[str, list[str]]:
    """Returns the preset's name, and the arguments after it."""
    if arguments and not arguments[0].startswith("-"):
        return arguments[0], arguments[1:]
    if {"-h", "--help"} & set(arguments):
        parse_flags(TrainOptions, ["--help"], "azjax train PRESET")  # exits
    raise InputError(f"which preset? `azjax train PRESET`, one of {', '.join(preset_names())}")


def _positions_finder(
    options: TrainOptions, config: RunConfig
) -> Callable[[], SolvedPositions | None]:
    """Returns a function that finds the solved positions to measure accuracy on.

    A file that is given is read at once, so that its errors come before the training.
    """
    with input_errors():
        game = games.make(config.train.game)
        if options.truth is None:
            return lambda: find_positions(game)
        positions = find_positions(game, options.truth)
    return lambda: positions


def _create(
    folder: pathlib.Path,
    name: str,
    preset: Preset,
    options: TrainOptions,
    lists: dict[str, list[float]],
) -> list[RunDirectory]:
    """Makes the folders of new runs, once it is sure that their configurations can be trained."""
    num_devices = options.devices
    with input_errors():
        games.make(options.config.train.game)
        if num_devices is None:
            num_devices = options.config.train.most_devices(len(jax.devices()))
        make_mesh(num_devices)
        options.config.train.check_devices(num_devices)
        grid = make_grid(options.config, _seeds(options), lists)
    preset_limits = Limits(preset.minutes, preset.iterations)
    limits = options.limits if options.limits.is_given else preset_limits
    check_is_free(folder)
    return [
        create_run(folder / run.name, name, run.config, run.seed, num_devices, limits)
        for run in grid
    ]


def _seeds(options: TrainOptions) -> range:
    return range(options.seed, options.seed + options.seeds)


def _reopen(
    folder: pathlib.Path,
    preset: str,
    lists: dict[str, list[float]],
    arguments: list[str],
    command: str,
) -> list[RunDirectory]:
    """Opens runs to go on with, and refuses overrides that would make them others."""
    below = [] if is_run(folder) else runs_below(folder)
    runs = [open_run(path) for path in below or [folder]]
    first = runs[0]
    if first.preset != preset:
        raise InputError(
            f"{folder} holds a run of {first.preset}: azjax train {first.preset} "
            f"--resume --out {shlex.quote(str(folder))}"
        )
    default = TrainOptions(config=first.config, seed=first.seed, devices=first.num_devices)
    options = parse_flags(TrainOptions, arguments, command, default)
    with input_errors():
        asked = make_grid(options.config, _seeds(options), lists)
    there = {(run.path.relative_to(folder).name, run.config, run.seed) for run in runs}
    says_all = lists or options.seeds > 1 or len(runs) == 1
    is_same = there == set(asked) if says_all else asked[0][1:] == (first.config, first.seed)
    if not is_same or options.devices != first.num_devices:
        raise InputError(
            f"{folder} was begun with other options: a resumed run keeps its configuration, seed "
            "and devices, so leave them out"
        )
    return runs


def _train(
    folder: pathlib.Path,
    runs: list[RunDirectory],
    positions: Callable[[], SolvedPositions | None],
    options: TrainOptions,
) -> None:
    """Trains the runs, and tells how they ended."""
    began = time.perf_counter()
    outcomes: dict[RunDirectory, Outcome] = {}
    was_interrupted = train_population(
        iter(runs),
        len(runs),
        positions,
        TrainingProgress(console, names_runs=len(runs) > 1),
        on_end=outcomes.__setitem__,
    )
    seconds = time.perf_counter() - began
    failed = {run: outcome.error for run, outcome in outcomes.items() if outcome.error}
    if len(runs) == 1:
        for error in failed.values():
            raise error
    if was_interrupted:
        _print_how_to_go_on(runs[0].preset, options, outcomes)
    elif len(runs) == 1:
        _print_outcome(runs[0], options, outcomes[runs[0]], seconds)
    else:
        _print_outcomes(folder, outcomes, seconds)
    if failed:
        run, error = next(iter(failed.items()))
        raise RunError(f"{len(failed)} of {len(runs)} runs could not go on: {run.path}: {error}")
    if was_interrupted:
        sys.exit(INTERRUPTED)


def _print_how_to_go_on(
    preset: str, options: TrainOptions, outcomes: dict[RunDirectory, Outcome]
) -> None:
    given = {name: getattr(options, name) for name in ("out", "minutes", "iterations", "truth")}
    flags = "".join(
        f" --{name} {shlex.quote(str(value))}" for name, value in given.items() if value is not None
    )
    reached = max((len(outcome.rows) for outcome in outcomes.values()), default=0)
    console.print(
        f"Stopped and saved at iteration {reached}. "
        f"Go on with: azjax train {shlex.quote(preset)} --resume{flags}",
        soft_wrap=True,
    )


def _print_outcome(
    run: RunDirectory, options: TrainOptions, outcome: Outcome, seconds: float
) -> None:
    last = outcome.rows[-1]
    table = make_table(f"{run.preset}, seed {run.seed}")
    table.add_row("iterations", f"{last['iteration']:,}")
    table.add_row("positions played", f"{last['positions']:,}")
    table.add_row("training time", f"{outcome.seconds:.1f} s")
    table.add_row("with compiling and looks", f"{seconds:.1f} s in this session")
    rates = sorted(row["simulations_per_second"] for row in outcome.rows)
    table.add_row("simulations per second", f"{rates[len(rates) // 2]:,.0f} (median)")
    table.add_row("distinct positions", f"{last['distinct_positions']:.1%}")
    table.add_row("replay ratio", f"{last['replay_ratio']:.2f}")
    if outcome.accuracy:
        add_accuracy(table, outcome.accuracy, run.config.evaluation_simulations)
    table.add_row("run", str(run.path))
    table.add_row("curves", str(run.curves))
    console.print(table)
    console.print("Next:", *_next_commands(run, options, outcome), sep="\n  ", soft_wrap=True)


def _print_outcomes(
    folder: pathlib.Path, outcomes: dict[RunDirectory, Outcome], seconds: float
) -> None:
    table = make_table(
        f"{folder}: {len(outcomes)} runs in {seconds:.1f} s",
        *("iterations", "training time", "optimal, network", "optimal, search"),
    )
    for run, outcome in sorted(outcomes.items(), key=lambda item: item[0].path):
        if outcome.error:
            table.add_row(run.path.name, "failed")
            continue
        found = outcome.accuracy
        shares = (f"{found.network:.2%}", f"{found.search:.2%}") if found else ()
        iterations = f"{outcome.rows[-1]['iteration']:,}"
        table.add_row(run.path.name, iterations, f"{outcome.seconds:.1f} s", *shares)
    console.print(table)


def _next_commands(run: RunDirectory, options: TrainOptions, outcome: Outcome) -> list[str]:
    simulations = run.config.evaluation_simulations
    game = games.make(run.config.train.game)
    opponent = "minimax" if is_solvable(game) else "random"
    folder = shlex.quote(str(run.path))
    commands = [
        f"azjax play {folder}",
        f"azjax evaluate {folder} --opponent {opponent} --games 1000 --simulations {simulations}",
    ]
    if outcome.accuracy:
        given = f" --truth {shlex.quote(options.truth)}" if options.truth else ""
        commands.append(f"azjax accuracy {folder}{given} --simulations {simulations}")
    return commands
