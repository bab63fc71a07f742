"""The options and the configurations that the scripts of studies share."""

import dataclasses
import pathlib
import sys
from collections.abc import Sequence
from typing import Self, TypeVar

import numpy as np

from azjax import games
from azjax.config.fields import EVALUATION, RUN_FIELDS, list_fields, list_numbers, with_fields
from azjax.config.flags import parse_flags
from azjax.config.limits import Limits
from azjax.config.preset_file import folder_name, read_preset
from azjax.config.presets import get_preset
from azjax.config.run_config import RunConfig
from azjax.evaluation import SolvedPositions, require_positions
from azjax.studies.study import Cell, Panel, Study
from azjax.support.errors import InputError, input_errors
from azjax.support.plurals import count
from azjax.support.validation import check_at_least, check_seeds


@dataclasses.dataclass(frozen=True)
class StudyOptions:
    """The options of a study."""

    game: str = "connect_four"
    """The game; its preset is the base of all configurations that are compared."""
    seeds: int = 5
    """Runs of each configuration, with seeds one after the other."""
    first_seed: int = 0
    """The first of these seeds: runs by which something is chosen and runs that measure it have
    others."""
    minutes: float = 20.0
    """Training time of every run in minutes, without compilation, evaluation and saving."""
    iterations: int | None = None
    """Iterations of every run, in place of minutes: then no other work on the machine changes what
    the runs learn."""
    evaluate_every: int | None = None
    """Iterations between two evaluations of a run; one that evaluations change, as gating does, has
    its preset's number. If not given: about twenty evaluations."""
    out: pathlib.Path | None = None
    """The folder of the results; with the folder of a stopped study, the study continues. If not
    given: studies/SCRIPT_GAME, or studies/SCRIPT_quick with --quick."""
    truth: str | None = None
    """A CSV file of solved positions, or the name of one that comes with azjax. If not given: all
    positions of a game as small as tic-tac-toe, else the file that comes with azjax for the
    game."""
    held_out: str | None = None
    """Further solved positions, a file or a name as of --truth, for the last network of every run;
    they must differ from the positions of --truth. A finished study takes them too."""
    extend: bool = False
    """Add to the finished or stopped study in the folder: the same command with more seeds, more
    minutes or more configurations. What is done is kept."""
    slurm: str | None = None
    """Submit the study as a job of SLURM, with these options of sbatch, as in --slurm="--partition
    gpu --gpus 1"; with "--ntasks 4 --gpus-per-task 1" as four workers."""
    quick: bool = False
    """Write the whole report for tic-tac-toe in a few minutes; other options take precedence, and
    --quick --help shows its defaults."""

    def __post_init__(self):
        """Raises ValueError if a number is out of range."""
        check_seeds(self.first_seed, self.seeds)
        if self.iterations is not None:
            check_at_least("iterations", self.iterations, 1)
        if self.evaluate_every is not None:
            check_at_least("evaluate_every", self.evaluate_every, 1)
        _ = self.limits  # raises ValueError

    @property
    def limits(self) -> Limits:
        """The length of each run."""
        return Limits(iterations=self.iterations) if self.iterations else Limits(self.minutes)

    @classmethod
    def quick_defaults(cls) -> Self:
        """Returns the defaults with --quick: a small game, few seeds, seconds per run."""
        return cls(game="tic_tac_toe", seeds=3, minutes=0.04, evaluate_every=7)


Options = TypeVar("Options", bound=StudyOptions)
Numbers = dict[str, float]  # by field name, such as optimizer.learning_rate


def parse_options(kind: type[Options], script: str, arguments: list[str] | None) -> Options:
    """Returns a script's options, of the command line if no arguments are given.

    With --quick the defaults come from `quick_defaults`.

    Raises:
      InputError: An argument is wrong.
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    defaults = kind.quick_defaults() if "--quick" in arguments else kind()
    return parse_flags(kind, arguments, pathlib.Path(script).name, defaults, takes_plugins=True)


def check_sizes(name: str, sizes: Sequence[int]) -> None:
    """Raises ValueError unless the sizes to compare are different numbers of at least 1."""
    if not sizes or min(sizes) < 1 or len(set(sizes)) < len(sizes):
        given = " ".join(map(str, sizes))
        raise ValueError(f"{name}={given}: must be different numbers, each at least 1")


def base_config(game_name: str) -> RunConfig:
    """Returns the game's preset for a study: runs do not stop early, and share one evaluation.

    Raises:
      InputError: There is no such preset.
    """
    with input_errors():
        preset = get_preset(game_name).config
        config = preset.evaluated_as(preset)
    # Without the stop, since the best curves would end first.
    return with_fields(config, {"stop_when_perfect": False})


def with_parts(config: RunConfig, *added: str, without: Sequence[str] = ()) -> RunConfig:
    """Returns the configuration with more parts, and without some of its own."""
    names = [part.name for part in config.train.parts]
    own = [name for name in names if name in added or name not in without]
    return with_fields(config, {"parts": [*own, *(name for name in added if name not in own)]})


def make_study(
    script: str,
    options: StudyOptions,
    cells: Sequence[Cell],
    panels: Sequence[Panel],
    play_time_simulations: tuple[int, ...] = (),
    *,
    is_tuned: bool = False,
) -> Study:
    """Returns the study of the cells, with the settings of the options.

    Where a sweep may have chosen numbers of the cells (`is_tuned`), by one half of the solved
    positions, the study measures on the other half.

    Raises:
      InputError: There are no solved positions of the game, or their file is wrong, or held-out
        positions are among the study's.
    """
    if len(cells) * options.seeds < 2:
        raise InputError("a study of one run has nothing to compare: give --seeds 2 or more")
    game_name = cells[0].config.train.game
    positions = _positions(game_name, options.truth)
    name, game = pathlib.Path(script).stem, folder_name(options.game)
    folder = pathlib.Path("studies") / f"{name}_{'quick' if options.quick else game}"
    return Study(
        name=name,
        path=options.out or folder,
        preset=options.game,
        positions=positions.test_half if is_tuned else positions,
        cells=tuple(cells),
        panels=tuple(panels),
        num_seeds=options.seeds,
        first_seed=options.first_seed,
        limits=options.limits,
        evaluate_every=options.evaluate_every,
        play_time_simulations=play_time_simulations,
        held_out=_held_out(game_name, options.held_out, positions) if options.held_out else None,
    )


def read_tuned_numbers(
    entries: Sequence[str], searches: Sequence[str], base: RunConfig
) -> dict[str, Numbers]:
    """Returns the numbers of each search that has a file, by entries like puct=FILE.toml.

    A file may not change sizes of the base, such as the network's: the searches would no longer be
    all that differs.

    Raises:
      ValueError: An entry is not of that form, or its file is wrong or changes more than numbers
        and the search.
    """
    tuned: dict[str, Numbers] = {}
    expected = list_fields(base)
    for entry in entries:
        search, equals, path = entry.partition("=")
        if not (equals and path) or search not in searches or search in tuned:
            names = ", ".join(f"{name}=FILE.toml" for name in searches)
            raise ValueError(f"tuned={entry}: must be one of {names}, each once")
        config = read_preset(pathlib.Path(path)).config
        there = config.train.search.name
        if there != search:
            raise ValueError(f"tuned: {path} is for {there}, not for {search}")
        own, numbers = list_fields(config), list_numbers(config)
        for name in own.keys() - {*RUN_FIELDS, *numbers}:
            is_ignored = name.startswith(("search.", EVALUATION))
            if not is_ignored and own[name] != expected.get(name):
                raise ValueError(
                    f"tuned: {path} has {name}={own[name]}, and the preset {expected.get(name)}: "
                    "only numbers may differ"
                )
        tuned[search] = {name: own[name] for name in numbers}
    return tuned


def _positions(game_name: str, given: str | None) -> SolvedPositions:
    with input_errors():
        return require_positions(games.make(game_name), given)


def _held_out(game_name: str, given: str, positions: SolvedPositions) -> SolvedPositions:
    """Returns the held-out positions; no image of one is in the study's file."""
    held_out = _positions(game_name, given)
    shared = np.isin(held_out.symmetry_class, positions.symmetry_class).sum()
    if shared:
        raise InputError(
            f"held_out={given}: {shared:,} of its {count(len(held_out.is_best), 'position')} are "
            "also among those of --truth, or are mirrored or rotated there; give other positions"
        )
    return held_out
