"""The options of `azjax train`."""

import dataclasses
import pathlib
import shlex
from typing import Annotated, NamedTuple

import tyro

from azjax.config.fields import describe_dropped, list_fields, list_numbers
from azjax.config.flags import choose_components, parse_flags, partial_parser, split_lists
from azjax.config.grid import GridRun, make_grid
from azjax.config.limits import Limits
from azjax.config.preset_file import Preset, default_folder, folder_name
from azjax.config.presets import find_preset, preset_names
from azjax.config.run_config import RunConfig
from azjax.distributed.group import DistributedOptions
from azjax.runs.storage.run_directory import RunDirectory
from azjax.runs.storage.run_folders import is_run, open_run, runs_below
from azjax.support.errors import InputError, input_errors
from azjax.support.validation import check_seeds

_HELP = {"-h", "--help"}


@dataclasses.dataclass(frozen=True)
class TrainOptions:
    """Train an agent.

    A number with several values, as in --optimizer.learning-rate 1e-3 3e-3, trains a run for each
    value, all side by side. --network.name, --search.name, --algorithm.name, --optimizer.name and
    --parts choose components, whose flags begin with the names of their tables. The flags and
    defaults below depend on the preset and on these choices: `azjax train connect_four
    --search.name puct --help` shows the flags of Connect Four with PUCT.
    """

    out: pathlib.Path | None = None
    """The run's folder, or the parent folder of several runs. If not given: runs/PRESET, or
    runs/GAME with another --game."""
    seed: int = 0
    """The seed of all random numbers of the run."""
    seeds: int = 1
    """The number of runs to train side by side, with this seed and the ones that follow it."""
    minutes: float | None = None
    """Stop after this many minutes of training, including a run's earlier sessions; compiling,
    evaluation and saving do not count. Each of several runs counts its share of the time."""
    iterations: int | None = None
    """Stop after this many iterations, including iterations of earlier sessions."""
    budget_shares: pathlib.Path | None = None
    """The folder of a run whose schedule of the learning rate is repeated, iteration by iteration;
    the new run is as long. It makes a run of --minutes reproducible."""
    init_from: Annotated[str | None, tyro.conf.arg(metavar="RUN")] = None
    """Begin from the network of an agent: a run's FOLDER, FOLDER@best or FOLDER@ITERATION, a
    FILE.npz of `azjax export`, or one that comes with azjax, such as connect_four."""
    resume: bool = False
    """Continue the runs in the folder from their newest checkpoints."""
    truth: str | None = None
    """The solved positions to measure accuracy on: a CSV file, or the name of one that comes with
    azjax, such as connect_four_strong_play. If not given: all positions of a game as small as
    tic-tac-toe, else the file that comes with azjax for the game, if there is one. With
    --resume: the run's."""
    keep_all_networks: bool = False
    """Keep the network of every evaluation in the run's history. If not given: all of the last 20,
    ever fewer of the older ones, the first and the best. With --resume: as the run was started."""
    devices: int | None = None
    """The number of devices to shard the games over, of all processes together; if not given,
    the most that exist and fit."""
    log_json: bool = False
    """Print each row of metrics as a line of JSON, and everything else to standard error."""
    wandb: Annotated[str | None, tyro.conf.arg(metavar="PROJECT")] = None
    """Log the metrics to a project of Weights & Biases, too (extra wandb)."""
    distributed: DistributedOptions = dataclasses.field(default_factory=DistributedOptions)
    """The processes that train together; they may be on several machines."""
    config: Annotated[RunConfig, tyro.conf.arg(name="")] = dataclasses.field(
        default_factory=RunConfig
    )

    def __post_init__(self):
        """Raises ValueError if a number is out of range."""
        Limits(self.minutes, self.iterations)
        check_seeds(self.seed, self.seeds)

    @property
    def limits(self) -> Limits:
        """The limits that were given, if any."""
        return Limits(self.minutes, self.iterations)


class TrainRequest(NamedTuple):
    """The parsed command line of `azjax train`."""

    preset_name: str
    preset: Preset
    folder: pathlib.Path  # of the run or the runs
    options: TrainOptions
    grid: list[GridRun]  # a run for each seed and each of the listed values
    told: list[str]  # on fields of the preset that its new components do not have
    resumed: list[RunDirectory]  # the runs that go on; their folders alone tell which


def parse_request(arguments: list[str]) -> TrainRequest:
    """Parses what follows `azjax train`.

    Raises:
      InputError: There is no such preset, or an argument is wrong, or would change the
        configuration or the seed of runs that go on.
    """
    name, arguments = _split_name(arguments)
    resumed_folder, resumed = _find_resumed(name, arguments)
    if resumed:
        first = resumed[0]
        name, preset = name or first.preset, Preset(first.config, first.limits, summary="")
    elif name is None:
        names = ", ".join(preset_names())
        raise InputError(
            f"which preset? `azjax train PRESET`, one of {names}; or, to continue a run, "
            "`azjax train --resume --out FOLDER`"
        )
    else:
        with input_errors():
            preset = find_preset(name)
    command = f"azjax train {name}"
    config = choose_components(preset.config, arguments, command)
    lists, arguments = split_lists(arguments, list_numbers(config), command)
    default = TrainOptions(config=config)
    if resumed:
        default = dataclasses.replace(
            default,
            seed=first.seed,
            devices=first.num_devices,
            keep_all_networks=first.keep_all_networks,
        )
    if _HELP & set(arguments):  # shows the length that a run has without a flag
        default = dataclasses.replace(default, **dataclasses.asdict(preset.limits))
    options = parse_flags(TrainOptions, arguments, command, default)
    with input_errors():
        seeds = range(options.seed, options.seed + options.seeds)
        grid = make_grid(options.config, seeds, lists)
    folder = resumed_folder or options.out or default_folder(name, preset, options.config)
    if resumed:
        _check_unchanged(name, folder, options, grid, resumed)
    told = describe_dropped(preset.config, config)
    return TrainRequest(name, preset, folder, options, grid, told, resumed)


def _check_unchanged(
    name: str,
    folder: pathlib.Path,
    options: TrainOptions,
    grid: list[GridRun],
    runs: list[RunDirectory],
) -> None:
    """Raises InputError if the arguments would change runs that go on.

    Arguments without lists and seeds may also describe the first of several runs alone.
    """
    first = runs[0]
    if first.preset != name:
        again = shlex.quote(str(folder))
        raise InputError(
            f"{folder} holds a run of {first.preset}: azjax train --resume --out {again}"
        )
    difference = ""
    given = {"seed": options.seed, **list_fields(options.config)}
    for field, value in {"seed": first.seed, **list_fields(first.config)}.items():
        if given.get(field) != value:
            difference = difference or f"{field} was {value}, is {given.get(field)}"
    found = {run.path.name: (run.config, run.seed) for run in runs}
    if len(grid) > 1 and found != {run.name: (run.config, run.seed) for run in grid}:
        difference = difference or "its seeds or lists of numbers were others"
    if difference:
        raise InputError(
            f"{folder} was started with other options ({difference}): a resumed run keeps its "
            "configuration and its seed, so leave them out"
        )


def _find_resumed(
    name: str | None, arguments: list[str]
) -> tuple[pathlib.Path | None, list[RunDirectory]]:
    """Returns the folder of the runs to resume, and the runs: their preset may no longer exist."""
    parser = partial_parser()
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--game", nargs="?")
    parser.add_argument("--out", nargs="?", type=pathlib.Path)
    known, _ = parser.parse_known_args([word for word in arguments if word != "--"])
    folder = known.out
    if folder is None and name is not None:
        folder = pathlib.Path("runs") / folder_name(known.game or name)
    if not known.resume or folder is None or _HELP & set(arguments):
        return None, []
    paths = [folder] if is_run(folder) else runs_below(folder)
    if name is None and not paths:
        paths = [folder]  # which `open_run` refuses; with a preset, process 0 alone may see it
    return folder, [open_run(path) for path in paths]  # which imports their plug-ins


def _split_name(arguments: list[str]) -> tuple[str | None, list[str]]:
    """Returns the preset's name, if it is given, and the arguments after it."""
    if arguments and not arguments[0].startswith("-"):
        return arguments[0], arguments[1:]
    if _HELP & set(arguments):
        parse_flags(TrainOptions, ["--help"], "azjax train PRESET")  # exits
    return None, arguments
