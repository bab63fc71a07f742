"""A study: configurations that differ in what is asked about, each trained from several seeds."""

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
    factors: dict[str, str | int | float]  # what sets it apart; all cells have the same keys
    config: RunConfig


class Panel(NamedTuple):
    """Cells that a figure shows side by side, and that are compared with each other."""

    title: str
    lines: dict[str, str]  # the label of each, and the name of its cell


class Comparison(NamedTuple):
    """Two labels against each other, task by task; a task is a panel that has both."""

    first: str
    second: str
    panels: tuple[Panel, ...]

    @property
    def where(self) -> str:
        """What a table calls the tasks."""
        return self.panels[0].title if len(self.panels) == 1 else "all of them"


@dataclasses.dataclass(frozen=True)
class Study:
    """What is trained, how it is measured, and how it is shown."""

    name: str
    path: pathlib.Path
    preset: str  # the base of every cell, by name
    positions: SolvedPositions
    cells: tuple[Cell, ...]
    panels: tuple[Panel, ...]
    num_seeds: int
    limits: Limits  # of every run
    evaluate_every: int | None = None  # iterations between looks; None: as a pilot finds
    play_time_simulations: tuple[int, ...] = ()  # of the play-time side; none: without it

    @property
    def seeds(self) -> range:
        """The seeds from which every cell is trained."""
        return range(self.num_seeds)

    @property
    def evaluation(self) -> tuple[str, int]:
        """The algorithm and the simulations of the search by which all agents are measured."""
        config = self.cells[0].config
        return config.evaluation_search.algorithm, config.evaluation_simulations

    @property
    def comparisons(self) -> list[Comparison]:
        """Each two lines of each panel; and of all panels at once, where they have the same."""
        alone = [
            Comparison(*pair, (panel,))
            for panel in self.panels
            for pair in itertools.combinations(panel.lines, 2)
        ]
        first, *others = self.panels
        if not others or any(panel.lines.keys() != first.lines.keys() for panel in others):
            return alone
        return alone + [
            Comparison(*pair, self.panels) for pair in itertools.combinations(first.lines, 2)
        ]

    def run_path(self, cell_name: str, seed: int) -> pathlib.Path:
        """Returns the folder of a run."""
        return self.path / "runs" / cell_name / f"seed={seed}"
