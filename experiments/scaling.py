"""Tells how strength grows with games in parallel, simulations and channels, at equal time.

python experiments/scaling.py --game connect_four --games 64 256 1024 --seeds 5 --minutes 20
"""

import dataclasses

from azjax.cli.output import console
from azjax.cli.process import exit_with_one_line, prepare_jax
from azjax.config.run_config import RunConfig
from azjax.studies.options import (
    StudyOptions,
    base_config,
    check_sizes,
    make_study,
    parse_options,
    with_search,
    with_train,
)
from azjax.studies.run_study import run_study
from azjax.studies.study import Cell, Panel, Study
from azjax.support.errors import input_errors


@dataclasses.dataclass(frozen=True)
class Options(StudyOptions):
    """Change one size of the game's preset at a time, and train for the same time."""

    games: tuple[int, ...] = (64, 128, 256, 512, 1024)
    """Games played side by side; an iteration has as many positions with all of them."""
    simulations: tuple[int, ...] = (4, 8, 16, 32, 64)
    """Simulations per move, in training."""
    channels: tuple[int, ...] = (8, 16, 32, 64, 128)
    """Width of the network."""

    def __post_init__(self):
        super().__post_init__()
        for name in ("games", "simulations", "channels"):
            check_sizes(name, getattr(self, name))


def with_games(base: RunConfig, num_games: int) -> RunConfig:
    """Returns the base with as many positions, in an iteration and in replay, of so many games."""
    train = base.train
    if train.positions_per_iteration % num_games:
        raise ValueError(
            f"games={num_games}: must divide the {train.positions_per_iteration} positions of an "
            "iteration"
        )
    num_moves = train.positions_per_iteration // num_games
    replay_moves = train.replay_moves // train.num_moves * num_moves
    return with_train(base, num_games=num_games, num_moves=num_moves, replay_moves=replay_moves)


def with_simulations(base: RunConfig, num_simulations: int) -> RunConfig:
    """Returns the base with another search."""
    return with_search(base, num_simulations=num_simulations)


def with_channels(base: RunConfig, channels: int) -> RunConfig:
    """Returns the base with a trunk of another width."""
    return with_train(base, network=dataclasses.replace(base.train.network, channels=channels))


SIZES = {"games": with_games, "simulations": with_simulations, "channels": with_channels}


def design(options: Options) -> Study:
    """Returns a panel for each size, a cell for each of its values; none is trained twice."""
    base = base_config(options.game)
    cells: dict[RunConfig, Cell] = {}
    panels = []
    for size, change in SIZES.items():
        lines = {}
        for value in getattr(options, size):
            with input_errors():
                config = change(base, value)
            cell = Cell(f"{size}_{value}", {"size": size, "value": value}, config)
            lines[str(value)] = cells.setdefault(config, cell).name
        panels.append(Panel(size, lines))
    return make_study(__file__, options, list(cells.values()), panels)


def main(arguments: list[str] | None = None) -> None:
    """Carries out the study that the arguments ask for."""
    quick = {"games": (128, 512), "simulations": (8, 32), "channels": (32, 128)}
    with exit_with_one_line():
        prepare_jax()
        run_study(design(parse_options(Options, __file__, arguments, **quick)), console)


if __name__ == "__main__":
    main()
