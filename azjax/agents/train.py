"""Trains runs of a preset: from Python by its name, and what the command line shares with that."""

import contextlib
import dataclasses
import io
import pathlib
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TextIO, cast

import jax
from rich.console import Console

from azjax import games
from azjax.agents.agent import Agent, load_agent
from azjax.agents.initial_network import initial_network
from azjax.config.fields import describe_dropped, with_fields
from azjax.config.grid import GridRun
from azjax.config.limits import Limits
from azjax.config.preset_file import default_folder, folder_name
from azjax.config.presets import find_preset
from azjax.evaluation import Accuracy, SolvedPositions, find_positions
from azjax.games.laws.check import check_plugin_game
from azjax.runs.reporting.progress import TrainingProgress
from azjax.runs.resuming import describe_changes
from azjax.runs.session import Outcome
from azjax.runs.storage.late_errors import ignore_late_errors
from azjax.runs.storage.run_directory import RunDirectory
from azjax.runs.storage.run_folders import check_is_free, create_run, open_run, shares_of_run
from azjax.runs.train import train_population
from azjax.support.errors import InputError, input_errors
from azjax.support.files.ownership import owned
from azjax.support.files.tables import Row
from azjax.support.front_door import front_door
from azjax.support.losable_output import LosableOutput
from azjax.support.machine.devices import make_global_mesh
from azjax.support.provenance.commit import describe_package
from azjax.support.validation import check_seed
from azjax.training import check_part_states

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
    SIGTERM, SIGHUP and a batch system's warnings.

    Args:
      preset: A preset's name, such as `tic_tac_toe` or `hex:size=7`, or the path of its TOML file.
      out: The run's folder; `runs/PRESET` if not given.
      seed: The seed of all randomness.
      minutes: Minutes of training; compiling, evaluation and saving do not count.
      iterations: The number of iterations. Without both, the preset's length.
      truth: Solved positions to measure accuracy on: a CSV file, or the name of one that comes with
        azjax. If not given: the truth of the run that is resumed, or the positions of
        `azjax.evaluation.find_positions`.
      overrides: Values of other fields than the preset's, named as the flags of `azjax train` with
        underscores: `{"optimizer.learning_rate": 1e-3, "stop_when_perfect": False}`.
      on_iteration: Called with each row of metrics, once, when it is in the file of metrics. A run
        that is resumed after a crash passes on the iterations that it computes again.
      resume: Continue the run in the folder, which keeps its configuration and its seed.
      budget_shares: The folder of a run whose schedule of the learning rate is repeated; the new
        run is as long.
      keep_all_networks: Keep the network of every evaluation in the run's history, from now on.
      init_from: An agent or its name, whose network the run begins from, with the heads of the
        run.

    Raises:
      InputError: An argument is wrong, or the folder holds another run, or another process is
        training the run.
      RunError: The run cannot continue.
    """
    ignore_late_errors()
    name, folder = str(preset), None if out is None else pathlib.Path(out)
    with input_errors():
        limits = Limits(minutes, iterations)
    settings = Settings(
        limits,
        truth,
        keep_all_networks=keep_all_networks or None,
        budget_shares=budget_shares,
        init_from=init_from,
    )
    if resume:
        if overrides:
            raise InputError("a resumed run keeps its configuration: leave out overrides")
        run = open_run(folder or pathlib.Path("runs") / folder_name(name))
        if run.preset != name:
            raise InputError(f"{run.path} holds a run of {run.preset}, not of {name}")
        training = reopened_training([run], settings)
    else:
        with input_errors():
            found = find_preset(name)
            config = with_fields(found.config, overrides)
            check_seed(seed)
        folder = folder or default_folder(name, found, config)
        grid = [GridRun("", config, seed)]
        training = new_training(name, folder, grid, settings, found.limits)
        training.warnings[:0] = describe_dropped(found.config, config)
    console = _make_console()

    def pass_on(run: RunDirectory, row: Row) -> None:
        if on_iteration:
            on_iteration(row)

    progress = TrainingProgress(console, on_row=pass_on)
    for line in (describe_package(), *training.warnings):
        console.print(line, highlight=False, soft_wrap=True)
    outcomes: dict[RunDirectory, Outcome] = {}
    was_interrupted = training.train(progress, outcomes.__setitem__)
    [run] = training.runs
    for outcome in outcomes.values():
        if outcome.error:
            raise outcome.error
        if not was_interrupted:
            return TrainedRun(run.path, outcome.rows, outcome.accuracy, outcome.seconds)
    raise KeyboardInterrupt(f"{run.path} is saved: train with resume=True to go on")


@dataclasses.dataclass(frozen=True)
class Settings:
    """What is asked for besides configurations and seeds; of runs that go on, what changes."""

    limits: Limits
    truth: str | pathlib.Path | None = None
    num_devices: int | None = None
    keep_all_networks: bool | None = None
    budget_shares: str | pathlib.Path | None = None  # the run whose schedule is repeated
    init_from: Agent | str | pathlib.Path | None = None  # whose network new runs begin from


class Training(NamedTuple):
    """Runs to train side by side: new ones, or runs that go on."""

    runs: list[RunDirectory]
    positions: Callable[[], SolvedPositions | None]  # which the first call may solve
    warnings: list[str]
    is_resumed: bool

    def train(
        self,
        progress: TrainingProgress,
        on_end: Callable[[RunDirectory, Outcome], None],
        parent: pathlib.Path | None = None,
    ) -> bool:
        """Trains the runs as `train_population` does, as the owner of their folders.

        Args:
          progress: Prints what changes where runs go on, and the progress.
          on_end: Called when the session of a run has ended.
          parent: The parent folder of several runs, which is owned too.

        Raises:
          InputError: Another process trains one of them.
        """
        with contextlib.ExitStack() as stack:
            if parent:
                stack.enter_context(owned(parent))
            runs = [
                dataclasses.replace(run, owner=stack.enter_context(owned(run.path)))
                for run in self.runs
            ]
            if self.is_resumed:
                changes = (line for run in runs for line in describe_changes(run))
                for line in dict.fromkeys(changes):  # one for all that change alike
                    progress.console.print(line, highlight=False, soft_wrap=True)
            return train_population(iter(runs), len(runs), self.positions, progress, on_end=on_end)


def new_training(
    preset: str,
    folder: pathlib.Path,
    grid: Sequence[GridRun],
    settings: Settings,
    usual_limits: Limits,
) -> Training:
    """Returns new runs, whose folders it creates once their configurations can be trained.

    The folder is of the run, or the parent of several; the usual limits hold where none is given.

    Raises:
      InputError: They cannot be trained, or the folder is not empty.
    """
    train_config = grid[0].config.train
    limits = settings.limits if settings.limits.is_given else usual_limits
    num_devices, shares = settings.num_devices, tuple[float, ...]()
    with input_errors():
        positions = _positions_finder(train_config.game, settings.truth)
        if num_devices is None:
            num_devices = train_config.most_devices(jax.device_count(), jax.process_count())
        make_global_mesh(num_devices)
        train_config.check_devices(num_devices)
    if settings.budget_shares is not None:
        if settings.limits.is_given:
            raise InputError("--budget-shares gives the length of a run: leave out other lengths")
        shares = shares_of_run(open_run(pathlib.Path(settings.budget_shares)))
        limits = Limits(iterations=len(shares))
    check_is_free(folder)
    agent = settings.init_from
    if isinstance(agent, str | pathlib.Path):
        agent = load_agent(agent)
    runs = []
    for name, config, seed in grid:
        run = RunDirectory(
            folder / name,
            preset,
            config,
            seed,
            num_devices,
            limits,
            _absolute_truth(settings.truth),
            keep_all_networks=bool(settings.keep_all_networks),
            budget_shares=shares,
        )
        initial = initial_network(agent, config.train, seed) if agent else None
        runs.append(create_run(run, initial))
    warnings = [*(agent.warnings if agent else []), *check_plugin_game(train_config.game)]
    return Training(runs, positions, warnings, is_resumed=False)


def reopened_training(runs: Sequence[RunDirectory], settings: Settings) -> Training:
    """Returns runs that go on; all measure accuracy on one truth.

    Raises:
      InputError: There are fewer devices, or the truth cannot be read, or a setting is for new runs
        alone.
    """
    for flag, value in (
        ("--budget-shares", settings.budget_shares),
        ("--init-from", settings.init_from),
    ):
        if value is not None:
            raise InputError(f"{flag}: a resumed run has begun already, so leave it out")
    train_config = runs[0].config.train
    truth = _absolute_truth(settings.truth) or runs[0].truth
    with input_errors():
        check_part_states(train_config)
        positions = _positions_finder(train_config.game, truth)
    num_devices = settings.num_devices or runs[0].num_devices
    try:
        make_global_mesh(num_devices)
        train_config.check_devices(num_devices)
    except ValueError as error:
        most = train_config.most_devices(jax.device_count(), jax.process_count())
        raise InputError(f"{error}; or go on by --resume --devices {most}") from error
    fields: dict[str, Any] = {"num_devices": num_devices, "truth": truth}
    if settings.limits.is_given:
        fields["limits"] = settings.limits
    if settings.keep_all_networks is not None:
        fields["keep_all_networks"] = settings.keep_all_networks
    changed = [dataclasses.replace(run, **fields) for run in runs]
    warnings = check_plugin_game(train_config.game)
    return Training(changed, positions, warnings, is_resumed=True)


def _absolute_truth(given: str | pathlib.Path | None) -> str | None:
    """Returns the truth to record: a file's absolute path, or the name of one in azjax as it is."""
    if given is None:
        return None
    path = pathlib.Path(given)
    return str(path.resolve() if path.is_file() else given)


def _positions_finder(
    game_name: str, truth: str | pathlib.Path | None
) -> Callable[[], SolvedPositions | None]:
    """Returns a function that finds the solved positions to measure accuracy on.

    A file that is given is read at once, so that its errors come before the training.
    """
    game = games.make(game_name)
    if truth is None:
        return lambda: find_positions(game)
    positions = find_positions(game, truth)
    return lambda: positions


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
