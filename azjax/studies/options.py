"""The options that all scripts of studies share."""

import dataclasses
import math
import pathlib
import sys
from collections.abc import Sequence
from typing import TypeVar

from azjax import games
from azjax.config.flags import parse_flags
from azjax.config.limits import Limits
from azjax.config.preset_file import folder_name
from azjax.config.presets import get_preset
from azjax.config.run_config import RunConfig
from azjax.evaluation import SolvedPositions, require_positions
from azjax.studies.study import Cell, Panel, Study
from azjax.support.errors import InputError, input_errors

_QUICK = {"game": "tic_tac_toe", "seeds": 3, "minutes": 0.04, "evaluate_every": 7}


@dataclasses.dataclass(frozen=True)
class StudyOptions:
    """What is trained, how often and how long, and where the results go."""

    game: str = "connect_four"
    """The game, by the preset of its name: the base of all that is compared."""
    seeds: int = 5
    """Runs of each configuration: seeds from 0 up."""
    minutes: float = 20.0
    """Minutes of training of every run, without compiling, measuring and saving."""
    evaluate_every: int | None = None
    """Iterations between two looks at a run; if not given, such that it has some twenty."""
    out: pathlib.Path | None = None
    """The folder of the results, where a study that was stopped goes on; studies/SCRIPT_GAME
    if not given, and studies/SCRIPT_quick under --quick."""
    truth: str | None = None
    """A CSV file of solved positions, or the name of one that comes with azjax. If not given: all
    positions of a game as small as tic-tac-toe, else the file that comes with azjax for the
    game."""
    quick: bool = False
    """The whole report on tic-tac-toe in a few minutes, unless other options say otherwise."""

    def __post_init__(self):
        """Raises ValueError where a number is out of range."""
        if self.seeds < 1:
            raise ValueError(f"seeds={self.seeds}: must be at least 1")
        if self.evaluate_every is not None and self.evaluate_every < 1:
            raise ValueError(f"evaluate_every={self.evaluate_every}: must be at least 1")
        if not 0 < self.minutes < math.inf:
            raise ValueError(f"minutes={self.minutes}: must be above 0")


Options = TypeVar("Options", bound=StudyOptions)


def parse_options(
    kind: type[Options], script: str, arguments: list[str] | None, **quick: object
) -> Options:
    """Returns a script's options; under --quick others are the defaults.

    Args:
      kind: The script's options.
      script: Its file.
      arguments: What follows it; that of the command line if not given.
      **quick: Further defaults under --quick.

    Raises:
      InputError: An argument is wrong.
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    default = kind(**_QUICK | quick) if "--quick" in arguments else kind()
    return parse_flags(kind, arguments, pathlib.Path(script).name, default)


def check_sizes(name: str, sizes: Sequence[int]) -> None:
    """Raises ValueError where sizes to compare are none, not positive, or one of them is twice."""
    if not sizes or min(sizes) < 1 or len(set(sizes)) < len(sizes):
        given = " ".join(map(str, sizes))
        raise ValueError(f"{name}={given}: must be different numbers, each at least 1")


def base_config(game_name: str) -> RunConfig:
    """Returns the game's preset as a study trains it: to its end, and measured by one search.

    Raises:
      InputError: There is none.
    """
    with input_errors():
        preset = get_preset(game_name).config
    return dataclasses.replace(
        preset,
        stop_when_perfect=False,  # else curves would end early, and the better the earlier
        evaluation_algorithm=preset.train.search.algorithm,
    )


def with_train(config: RunConfig, **changes: object) -> RunConfig:
    """Returns the configuration with other sizes, networks or searches."""
    return dataclasses.replace(config, train=dataclasses.replace(config.train, **changes))


def with_search(config: RunConfig, **changes: object) -> RunConfig:
    """Returns the configuration with another search in self-play."""
    return with_train(config, search=dataclasses.replace(config.train.search, **changes))


def with_hparams(config: RunConfig, **changes: float) -> RunConfig:
    """Returns the configuration with other hyperparameters."""
    return dataclasses.replace(config, hparams=config.hparams._replace(**changes))


def make_study(
    script: str,
    options: StudyOptions,
    cells: Sequence[Cell],
    panels: Sequence[Panel],
    play_time_simulations: tuple[int, ...] = (),
) -> Study:
    """Returns the study of those cells that the options ask for.

    Args:
      script: The script's file.
      options: The script's options.
      cells: What is compared.
      panels: How.
      play_time_simulations: Of the play-time side, if there is to be one.

    Raises:
      InputError: There are no solved positions of the game, or their file is wrong.
    """
    if len(cells) * options.seeds < 2:
        raise InputError("a study of one run has nothing to compare: give --seeds 2 or more")
    name, game = pathlib.Path(script).stem, folder_name(options.game)
    folder = pathlib.Path("studies") / f"{name}_{'quick' if options.quick else game}"
    return Study(
        name=name,
        path=options.out or folder,
        preset=options.game,
        positions=_positions(cells[0].config.train.game, options.truth),
        cells=tuple(cells),
        panels=tuple(panels),
        num_seeds=options.seeds,
        limits=Limits(options.minutes, iterations=None),
        evaluate_every=options.evaluate_every,
        play_time_simulations=play_time_simulations,
    )


def _positions(game_name: str, given: str | None) -> SolvedPositions:
    with input_errors():
        return require_positions(games.make(game_name), given)
