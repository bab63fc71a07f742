"""`azjax train`."""

import dataclasses
import math
import pathlib
import shlex
from typing import Annotated

import jax
import tyro

from azjax import games
from azjax.cli.output import add_accuracy, console, make_table
from azjax.devices import make_mesh
from azjax.evaluation import Truth, is_solvable, read_truth
from azjax.runs.config import RunConfig
from azjax.runs.errors import InputError, input_errors
from azjax.runs.flags import check_seed, parse_flags
from azjax.runs.folder import RunFolder, create_run, open_run
from azjax.runs.limits import Limits
from azjax.runs.presets import get_preset, preset_names
from azjax.runs.progress import TrainingProgress
from azjax.runs.train import Outcome, train


@dataclasses.dataclass(frozen=True)
class TrainOptions:
    """Train an agent from nothing but the rules."""

    out: pathlib.Path | None = None
    """The run's folder; runs/PRESET if not given, with _ for a colon."""
    seed: int = 0
    """Of all the run's randomness."""
    minutes: float | None = None
    """Stop after so many minutes of training; those of a resumed run's earlier sessions count."""
    iterations: int | None = None
    """Stop after so many iterations in all."""
    resume: bool = False
    """Go on with the run that the folder holds, from its newest checkpoint."""
    truth: pathlib.Path | None = None
    """A CSV file of solved positions, to watch accuracy on."""
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
        check_seed(self.seed)


def train_command(arguments: list[str]) -> None:
    """Runs `azjax train PRESET ...`."""
    if arguments and not arguments[0].startswith("-"):
        name, *arguments = arguments
    elif "-h" in arguments or "--help" in arguments:
        name = "tic_tac_toe"
    else:
        raise InputError(f"which preset? `azjax train PRESET`, one of {', '.join(preset_names())}")
    with input_errors():
        preset = get_preset(name)
    command = f"azjax train {name}"
    options = parse_flags(TrainOptions, arguments, command, TrainOptions(config=preset.config))
    folder = options.out or pathlib.Path("runs") / name.replace(":", "_")
    given = Limits(options.minutes, options.iterations)
    if options.resume:
        run = _reopen(folder, name, arguments, command)
        truth = _read_truth(options, run.config)
    else:
        truth = _read_truth(options, options.config)
        limits = given if given.is_given else Limits(preset.minutes, preset.iterations)
        run = _create(folder, name, options, limits)
    limits = given if given.is_given else run.limits
    outcome = train(run, limits, truth, options.resume, TrainingProgress(console))
    _print_outcome(run, options, outcome)


def _read_truth(options: TrainOptions, config: RunConfig) -> Truth | None:
    if options.truth is None:
        return None
    with input_errors():
        return read_truth(games.make(config.train.game), options.truth)


def _create(folder: pathlib.Path, preset: str, options: TrainOptions, limits: Limits) -> RunFolder:
    """Makes the folder of a new run, once it is sure that the configuration can be trained."""
    config, num_devices = options.config, options.devices
    with input_errors():
        games.make(config.train.game)
        if num_devices is None:
            num_devices = _fitting_devices(config)
        make_mesh(num_devices)
        config.train.check_devices(num_devices)
    return create_run(folder, preset, config, options.seed, num_devices, limits)


def _reopen(folder: pathlib.Path, preset: str, arguments: list[str], command: str) -> RunFolder:
    """Opens a run to go on with, and refuses overrides that would make it another."""
    run = open_run(folder)
    if run.preset != preset:
        raise InputError(
            f"{folder} holds a run of {run.preset}: azjax train {run.preset} "
            f"--resume --out {shlex.quote(str(folder))}"
        )
    default = TrainOptions(config=run.config, seed=run.seed, devices=run.num_devices)
    options = parse_flags(TrainOptions, arguments, command, default)
    asked = (options.config, options.seed, options.devices)
    if asked != (run.config, run.seed, run.num_devices):
        raise InputError(
            f"{folder} was begun with other options: a resumed run keeps its configuration, seed "
            "and devices, so leave them out"
        )
    return run


def _fitting_devices(config: RunConfig) -> int:
    """Returns the most devices of this machine that the games can be laid over evenly."""
    groups, there = config.train.num_groups, len(jax.devices())
    return max(n for n in range(1, there + 1) if groups % n == 0)


def _print_outcome(run: RunFolder, options: TrainOptions, outcome: Outcome) -> None:
    if not outcome.rows:
        console.print("Nothing to do: the run was over before its first iteration.")
        return
    last = outcome.rows[-1]
    if outcome.was_interrupted:
        given = {name: getattr(options, name) for name in ("out", "minutes", "iterations", "truth")}
        flags = "".join(
            f" --{name} {shlex.quote(str(value))}"
            for name, value in given.items()
            if value is not None
        )
        console.print(
            f"Stopped and saved at iteration {last['iteration']}. "
            f"Go on with: azjax train {run.preset} --resume{flags}",
            soft_wrap=True,
        )
        return
    table = make_table(f"{run.preset}, seed {run.seed}")
    table.add_row("iterations", f"{last['iteration']:,}")
    table.add_row("positions played", f"{last['positions']:,}")
    table.add_row("training time", f"{outcome.seconds:.1f} s")
    rates = sorted(row["simulations_per_second"] for row in outcome.rows)
    table.add_row("simulations per second", f"{rates[len(rates) // 2]:,.0f} (median)")
    table.add_row("distinct positions", f"{last['distinct_positions']:.1%}")
    table.add_row("replay ratio", f"{last['replay_ratio']:.2f}")
    if outcome.accuracy:
        add_accuracy(table, outcome.accuracy, run.config.evaluation_simulations)
    table.add_row("run", str(run.path))
    table.add_row("curves", str(run.curves))
    console.print(table)
    console.print("Next:", *_next_commands(run, options), sep="\n  ", soft_wrap=True)


def _next_commands(run: RunFolder, options: TrainOptions) -> list[str]:
    simulations = run.config.evaluation_simulations
    game = games.make(run.config.train.game)
    opponent = "minimax" if is_solvable(game) else "random"
    folder = shlex.quote(str(run.path))
    commands = [
        f"azjax play {folder}",
        f"azjax evaluate {folder} --opponent {opponent} --games 1000 --simulations {simulations}",
    ]
    if options.truth or is_solvable(game):
        truth = f" --truth {shlex.quote(str(options.truth))}" if options.truth else ""
        commands.append(f"azjax accuracy {folder}{truth} --simulations {simulations}")
    return commands
