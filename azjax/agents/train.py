"""Trains a run by the name of its preset, from Python."""

import dataclasses
import io
import pathlib
import sys
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TextIO, cast

import jax
from rich.console import Console

from azjax import games
from azjax.agents.agent import Agent, load_agent
from azjax.agents.initial_network import initial_network
from azjax.config.fields import describe_dropped, with_fields
from azjax.config.limits import Limits
from azjax.config.preset_file import default_folder, folder_name
from azjax.config.presets import find_preset
from azjax.evaluation import Accuracy, find_positions
from azjax.games.laws.check import check_plugin_game
from azjax.runs.reporting.progress import TrainingProgress
from azjax.runs.resuming import describe_changes
from azjax.runs.storage.orbax_reading import ignore_late_errors
from azjax.runs.storage.run_directory import RunDirectory
from azjax.runs.storage.run_folders import (
    absolute_truth,
    create_run,
    is_run,
    open_run,
    owned_runs,
    shares_of_run,
)
from azjax.runs.train import train_run
from azjax.support.errors import InputError, input_errors
from azjax.support.files.tables import Row
from azjax.support.front_door import front_door
from azjax.support.losable_output import LosableOutput
from azjax.support.provenance.commit import describe_package
from azjax.support.validation import check_seed

_NO_OVERRIDES: Mapping[str, Any] = {}


@dataclasses.dataclass(frozen=True, repr=False)
class TrainedRun:
    """A run after its training."""

    path: pathlib.Path  # its folder
    metrics: list[Row]  # a row an iteration; row 0 is the evaluation before the first
    accuracy: Accuracy | None  # of the last network, if there are solved positions
    seconds: float  # of training, in all sessions

    def __repr__(self) -> str:
        """Returns the run in one line."""
        accuracy = f", {self.accuracy}" if self.accuracy else ""
        iterations = self.metrics[-1]["iteration"]
        return f"TrainedRun({self.path}: {iterations} iterations, {self.seconds:.1f} s{accuracy})"


@front_door
def train(
    preset: str | pathlib.Path,
    *,
    out: str | pathlib.Path | None = None,
    seed: int = 0,
    minutes: float | None = None,
    iterations: int | None = None,
    truth: str | pathlib.Path | None = None,
    overrides: Mapping[str, Any] = _NO_OVERRIDES,
    on_iteration: Callable[[Row], None] | None = None,
    resume: bool = False,
    budget_shares: str | pathlib.Path | None = None,
    keep_all_networks: bool = False,
    init_from: Agent | str | pathlib.Path | None = None,
) -> TrainedRun:
    """Trains a run as `azjax train` does, and prints its progress.

    For example, `train("connect_four", out="runs/x", minutes=5, overrides={"num_games": 512})`.

    It may be called in any thread. It uses one device per core of a CPU, unless JAX has started
    before with fewer. Ctrl-C in the main thread saves the run and raises KeyboardInterrupt. So do
    SIGTERM, SIGHUP and a batch system's warnings, but an iteration that takes long is given up:
    the process ends within 10 seconds.

    Args:
      preset: A preset's name, such as `tic_tac_toe` or `hex:size=7`, or the path of its TOML file.
      out: The run's folder; `runs/PRESET` if not given.
      seed: The seed of all randomness.
      minutes: Minutes of training; compiling, evaluation and saving do not count.
      iterations: The number of iterations. Without both, the preset's length.
      truth: Solved positions to measure accuracy on: a CSV file, or the name of one that comes with
        azjax. If not given, those of the run that is resumed, or those of
        `azjax.evaluation.find_positions`.
      overrides: Values of other fields than the preset's, named as the flags of `azjax train` with
        underscores: `{"optimizer.learning_rate": 1e-3, "stop_when_perfect": False}`.
      on_iteration: Called with each row of metrics, once, when it is in the file of metrics. A run
        that is resumed after a crash passes on the iterations that it computes again.
      resume: Continue the run in the folder, which keeps its configuration and its seed.
      budget_shares: The folder of a run whose schedule of the learning rate is repeated; the new
        run is as long.
      keep_all_networks: Keep the network of every evaluation in the run's history, from now on.
      init_from: An agent or its name, whose network the run begins from. Where the run's has more
        blocks, channels, planes or value features, it grows, and its outputs stay as they are.

    Raises:
      InputError: An argument is wrong, or the folder holds another run, or another process is
        training the run.
      RunError: The run cannot continue.
    """
    ignore_late_errors()
    given = _Given(str(preset), None if out is None else pathlib.Path(out), overrides)
    with input_errors():
        limits = Limits(minutes, iterations)
        shares = _replayed_shares(budget_shares, limits, is_resumed=resume)
        if shares:
            limits = Limits(iterations=len(shares))
        run = given.reopen(limits) if resume else given.plan(seed, limits)
        run = dataclasses.replace(
            run,
            truth=absolute_truth(truth) or run.truth,
            keep_all_networks=keep_all_networks or run.keep_all_networks,
        )
        game = games.make(run.config.train.game)
        positions = find_positions(game, run.truth) if run.truth else None
    agent = _initial_agent(init_from, is_resumed=resume)
    lines = [describe_package(), *check_plugin_game(run.config.train.game)]
    if resume:
        lines += describe_changes(run, positions)
    else:
        lines += describe_dropped(find_preset(given.preset_name).config, run.config)
        lines += agent.warnings if agent else []
        initial = initial_network(agent, run.config.train, seed) if agent else None
        run = create_run(run, shares, initial)
    with owned_runs([run]) as [run]:
        console = _make_console()
        for line in lines:
            console.print(line, highlight=False, soft_wrap=True)
        outcome = train_run(run, _Progress(console, on_iteration), positions)
    if outcome.was_interrupted:
        raise KeyboardInterrupt(f"{run.path} is saved: train with resume=True to go on")
    return TrainedRun(run.path, outcome.rows, outcome.accuracy, outcome.seconds)


def _replayed_shares(
    folder: str | pathlib.Path | None, limits: Limits, *, is_resumed: bool
) -> list[float]:
    """Returns the shares of another run's budget that a new run repeats."""
    if folder is None:
        return []
    if limits.is_given or is_resumed:
        raise InputError("budget_shares: gives the length of a new run; leave out other lengths")
    return shares_of_run(open_run(pathlib.Path(folder)))


def _initial_agent(given: Agent | str | pathlib.Path | None, *, is_resumed: bool) -> Agent | None:
    """Returns the agent that a new run begins from, if one is given."""
    if given is None:
        return None
    if is_resumed:
        raise InputError("init_from: a resumed run has begun already, so leave it out")
    return given if isinstance(given, Agent) else load_agent(given)


class _Given(NamedTuple):
    """What `train` is given to find or to make a run."""

    preset_name: str
    out: pathlib.Path | None
    overrides: Mapping[str, Any]

    def plan(self, seed: int, limits: Limits) -> RunDirectory:
        """Returns a new run, whose folder is not yet made."""
        preset = find_preset(self.preset_name)
        config = with_fields(preset.config, self.overrides)
        if not limits.is_given:
            limits = preset.limits
        check_seed(seed)
        path = self.out or default_folder(self.preset_name, preset, config)
        if is_run(path):
            hint = "continue it by resume=True, or choose another folder by out="
            raise InputError(f"{path} already holds a run: {hint}")
        num_devices = config.train.most_devices(len(jax.devices()))
        return RunDirectory(path, self.preset_name, config, seed, num_devices, limits)

    def reopen(self, limits: Limits) -> RunDirectory:
        """Returns the run of the folder, with the limits that are given, if any."""
        if self.overrides:
            raise InputError("a resumed run keeps its configuration: leave out overrides")
        run = open_run(self.out or pathlib.Path("runs") / folder_name(self.preset_name))
        if run.preset != self.preset_name:
            raise InputError(f"{run.path} holds a run of {run.preset}, not of {self.preset_name}")
        return dataclasses.replace(run, limits=limits) if limits.is_given else run


def _make_console() -> Console:
    """Returns a console with live lines on a terminal only; a notebook gets plain lines."""
    stdout = sys.stdout or io.StringIO()  # None if it is closed
    return Console(
        file=cast(TextIO, LosableOutput(stdout, "standard output")),
        force_terminal=stdout.isatty(),
        force_jupyter=False,
        markup=False,
        emoji=False,
    )


class _Progress(TrainingProgress):
    """Progress that passes on each row of metrics."""

    def __init__(self, console: Console, on_iteration: Callable[[Row], None] | None):
        super().__init__(console)
        self._on_iteration = on_iteration

    def update(self, run: RunDirectory, row: Row, share_done: float, *, permanent: bool) -> None:
        """Shows the metrics of an iteration, and passes a copy of them on."""
        super().update(run, row, share_done, permanent=permanent)
        if self._on_iteration:
            self._on_iteration(dict(row))
