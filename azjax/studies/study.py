"""A study: configurations to compare, each trained from several seeds."""

import dataclasses
import itertools
import pathlib
from typing import NamedTuple

from azjax.config.limits import Limits
from azjax.config.run_config import RunConfig
from azjax.evaluation import SolvedPositions


@dataclasses.dataclass(frozen=True)
class Cell:
    """One configuration of a study."""

    name: str
    factors: dict[str, str | int | float]  # that set it apart; all cells have the same keys
    config: RunConfig


class Panel(NamedTuple):
    """Cells that are compared with each other, and share the axes of a figure."""

    title: str
    lines: dict[str, str]  # from a line's label to its cell's name


class Comparison(NamedTuple):
    """Two labels that are compared on one or more tasks; a task is a panel that has both."""

    first: str
    second: str
    panels: tuple[Panel, ...]

    @property
    def where(self) -> str:
        """The name of the tasks in a table."""
        return self.panels[0].title if len(self.panels) == 1 else "all of them"


@dataclasses.dataclass(frozen=True)
class Study:
    """What a study trains, how it evaluates, and what it plots."""

    name: str
    path: pathlib.Path
    preset: str  # the name of the base of every cell
    positions: SolvedPositions
    cells: tuple[Cell, ...]
    panels: tuple[Panel, ...]
    num_seeds: int
    limits: Limits  # of every run
    evaluate_every: int | None = None  # iterations between evaluations; None: from timing
    play_time_simulations: tuple[int, ...] = ()  # of the play-time comparison; () for none
    play_time_algorithms: tuple[str, ...] = ()

    @property
    def seeds(self) -> range:
        """The seeds of every cell's runs."""
        return range(self.num_seeds)

    @property
    def evaluation(self) -> tuple[str, int]:
        """The algorithm and the simulations of the search that evaluates all agents."""
        config = self.cells[0].config
        return config.evaluation_search.algorithm, config.evaluation_simulations

    @property
    def comparisons(self) -> list[Comparison]:
        """Every pair of lines of a panel, and of all panels at once if their labels are equal."""
        single = [
            Comparison(*pair, (panel,))
            for panel in self.panels
            for pair in itertools.combinations(panel.lines, 2)
        ]
        first, *others = self.panels
        if not others or any(panel.lines.keys() != first.lines.keys() for panel in others):
            return single
        return single + [
            Comparison(*pair, self.panels) for pair in itertools.combinations(first.lines, 2)
        ]

    def run_path(self, cell_name: str, seed: int) -> pathlib.Path:
        """Returns the path of a run's folder."""
        return self.path / "runs" / cell_name / f"seed={seed}"
