"""Answers: how does strength scale with parallel games, simulations and channels, at equal time?

python experiments/scaling.py --game connect_four --games 64 256 1024 --seeds 5 --minutes 20

It changes one size of the game's preset at a time, trains each value from several seeds, and writes
tables, figures and report.md to studies/scaling_GAME. It takes cells x seeds x minutes: with
13 cells, 5 seeds and 20 minutes, 22 hours. --quick takes a few minutes. The same command resumes a
stopped study; with --extend it adds seeds, sizes or minutes.
"""

import dataclasses
from typing import Self

from azjax.cli.study_script import run_study_script
from azjax.config.fields import with_fields
from azjax.config.run_config import RunConfig
from azjax.studies.options import StudyOptions, base_config, check_sizes, make_study
from azjax.studies.study import Cell, Panel, Study
from azjax.support.errors import input_errors


@dataclasses.dataclass(frozen=True)
class Options(StudyOptions):
    """Change one size of the game's preset at a time, and train for the same time."""

    games: tuple[int, ...] = (64, 128, 256, 512, 1024)
    """Numbers of games played in parallel; the positions of an iteration stay the same."""
    simulations: tuple[int, ...] = (4, 8, 16, 32, 64)
    """Numbers of simulations per move, in training."""
    channels: tuple[int, ...] = (8, 16, 32, 64, 128)
    """Channels of the network."""

    def __post_init__(self):
        super().__post_init__()
        for name in ("games", "simulations", "channels"):
            check_sizes(name, getattr(self, name))

    @classmethod
    def quick_defaults(cls) -> Self:
        """Returns the defaults with --quick: two values of each size."""
        quick = super().quick_defaults()
        return dataclasses.replace(quick, games=(128, 512), simulations=(8, 32), channels=(32, 128))


def with_games(base: RunConfig, num_games: int) -> RunConfig:
    """Returns the base with other numbers of games and moves, and the same number of positions."""
    train = base.train
    if train.positions_per_iteration % num_games:
        raise ValueError(
            f"games={num_games}: must divide the {train.positions_per_iteration} positions of an "
            "iteration"
        )
    num_moves = train.positions_per_iteration // num_games
    replay_moves = train.replay_moves // train.num_moves * num_moves
    sizes = {"num_games": num_games, "num_moves": num_moves, "replay_moves": replay_moves}
    return with_fields(base, sizes)


def with_simulations(base: RunConfig, num_simulations: int) -> RunConfig:
    """Returns the base with another number of simulations."""
    return with_fields(base, {"search.num_simulations": num_simulations})


def with_channels(base: RunConfig, channels: int) -> RunConfig:
    """Returns the base with another number of channels."""
    return with_fields(base, {"network.channels": channels})


SIZES = {"games": with_games, "simulations": with_simulations, "channels": with_channels}


def design(options: Options) -> Study:
    """Returns a study with a panel for each size, and one cell for each configuration."""
    base = base_config(options.game)
    cells: dict[RunConfig, Cell] = {}
    panels = []
    for size, change in SIZES.items():
        lines = {}
        for value in getattr(options, size):
            with input_errors():
                config = change(base, value)
            cell = Cell(f"{size}_{value}", {"size": size, "value": value}, config)
            if config == base:  # named alike in studies of other sizes, which may extend this one
                cell = Cell("base", {"size": "none", "value": "preset"}, base)
            lines[str(value)] = cells.setdefault(config, cell).name
        panels.append(Panel(size, lines))
    return make_study(__file__, options, list(cells.values()), panels)


def main(arguments: list[str] | None = None) -> None:
    """Runs the study of the arguments."""
    run_study_script(Options, design, __file__, arguments)


if __name__ == "__main__":
    main()
