"""Compares Gumbel with PUCT at equal simulations and at equal time, in training and at play time.

python experiments/compare_search.py --game connect_four --simulations 2 8 32 --seeds 5 --minutes 20
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
)
from azjax.studies.play_time import SEARCHES
from azjax.studies.run_study import run_study
from azjax.studies.study import Cell, Panel, Study


@dataclasses.dataclass(frozen=True)
class Options(StudyOptions):
    """Train by Gumbel and by PUCT at each number of simulations, with everything else the same."""

    simulations: tuple[int, ...] = (2, 4, 8, 16, 32, 64)
    """Simulations per move, in training and at play time."""

    def __post_init__(self):
        super().__post_init__()
        check_sizes("simulations", self.simulations)


def design(options: Options) -> Study:
    """Returns a cell for each search and number of simulations, and a panel for each number."""
    base = base_config(options.game)
    return make_study(
        __file__,
        options,
        cells=[
            make_cell(base, algorithm, n)
            for n in options.simulations
            for algorithm in SEARCHES.values()
        ],
        panels=[
            Panel(f"{n} simulations", {label: f"{s}_{n}" for label, s in SEARCHES.items()})
            for n in options.simulations
        ],
        play_time_simulations=options.simulations,
    )


def make_cell(base: RunConfig, algorithm: str, num_simulations: int) -> Cell:
    """Returns the base with that search."""
    config = with_search(base, algorithm=algorithm, num_simulations=num_simulations)
    factors = {"search": algorithm, "num_simulations": num_simulations}
    return Cell(f"{algorithm}_{num_simulations}", factors, config)


def main(arguments: list[str] | None = None) -> None:
    """Carries out the study that the arguments ask for."""
    with exit_with_one_line():
        prepare_jax()
        options = parse_options(Options, __file__, arguments, simulations=(4, 16))
        run_study(design(options), console)


if __name__ == "__main__":
    main()
