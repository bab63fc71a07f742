"""A study: configurations to compare, each trained from several seeds."""

import dataclasses
import itertools
import pathlib
from typing import NamedTuple

from azjax.config.limits import Limits
from azjax.config.run_config import RunConfig
from azjax.evaluation import SolvedPositions
from azjax.search import Search
from azjax.support.files.ownership import Ownership
from azjax.support.files.tables import Row

# The accuracies of an agent: by the search that is common to the study, by its self-play's with as
# many simulations, by that with its own number of them, and by the network alone.
COMMON_SEARCH, OWN_SEARCH, NETWORK = "accuracy_search", "accuracy_own_search", "accuracy_network"
TRAINING_SEARCH = "accuracy_training_search"  # of last networks alone
ACCURACIES = COMMON_SEARCH, OWN_SEARCH, TRAINING_SEARCH, NETWORK

EXPLOITABILITY = "exploitability"  # of an agent with the common search, in a solved game
ELO = "elo"  # in a tournament of the study's agents, relative to their mean

RESULT_LABELS = {
    COMMON_SEARCH: "common search",
    OWN_SEARCH: "own search",
    TRAINING_SEARCH: "search as in training",
    NETWORK: "network alone",
    EXPLOITABILITY: "exploitability",
    ELO: "Elo",
}
SEARCH_LABELS = {  # others are their names
    "gumbel": "Gumbel",
    "puct": "PUCT",
    "puct_strong": "strong PUCT",
    "uct": "UCT",
}

ALL_PANELS = "all of them"  # names the group of all panels in a table


@dataclasses.dataclass(frozen=True)
class Cell:
    """One configuration of a study."""

    name: str
    factors: dict[str, str | int | float]  # that set it apart; all cells have the same keys
    config: RunConfig
    preset: str | None = None  # that the configuration comes from, if not from the study's
    limits: Limits | None = None  # of its runs, if not the study's


class Panel(NamedTuple):
    """Cells that are compared with each other, and share the axes of a figure."""

    title: str
    lines: dict[str, str]  # from a line's label to its cell's name


class Comparison(NamedTuple):
    """Two labels that are compared on one or more tasks; a task is a panel that has both."""

    first: str
    second: str
    where: str  # the name of the group of panels
    panels: tuple[Panel, ...]


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
    limits: Limits  # of every run whose cell has none of its own
    first_seed: int = 0
    evaluate_every: int | None = None  # iterations between evaluations; None: from timing
    play_time_simulations: tuple[int, ...] = ()  # of the play-time comparison; () for none
    held_out: SolvedPositions | None = None  # on which the last networks are measured too
    owner: Ownership | None = dataclasses.field(default=None, compare=False)  # if it is owned

    @property
    def seeds(self) -> range:
        return range(self.first_seed, self.first_seed + self.num_seeds)

    @property
    def evaluation(self) -> tuple[str, int]:
        """The name and the simulations of the search that evaluates all agents."""
        search = self.cells[0].config.evaluation_search
        return search.name, search.num_simulations

    @property
    def searches(self) -> dict[str, Search]:
        """The searches that the cells train with, each as in its first cell.

        They are by the factor `search` where cells differ in it, else by their names.
        """
        found: dict[str, Search] = {}
        for cell in self.cells:
            search = cell.config.train.search
            found.setdefault(str(cell.factors.get("search", search.name)), search)
        return found

    @property
    def play_time_cells(self) -> list[str]:
        """The cells of the most simulations in self-play, whose networks play at play time.

        They are given by the design: a choice by accuracy would favour a search.
        """
        sizes = {cell.name: cell.config.train.search.num_simulations for cell in self.cells}
        return [name for name, size in sizes.items() if size == max(sizes.values())]

    @property
    def lengths(self) -> str:
        """The lengths of the runs, in words."""
        return " or ".join(dict.fromkeys(str(self.limits_of(cell)) for cell in self.cells))

    @property
    def accuracies(self) -> tuple[str, ...]:
        """The accuracies over training; its own search is left out if all have the common one."""
        if len(self.evaluated_by_own_search) == len(self.cells):
            return COMMON_SEARCH, NETWORK
        return COMMON_SEARCH, OWN_SEARCH, NETWORK

    @property
    def evaluated_by_own_search(self) -> frozenset[str]:
        """The names of the cells whose own search is the common one."""
        return frozenset(cell.name for cell in self.cells if cell.config.is_evaluated_by_own_search)

    @property
    def groups(self) -> dict[str, tuple[Panel, ...]]:
        """Every panel by its title, and all panels together if their lines have equal labels."""
        single: dict[str, tuple[Panel, ...]] = {panel.title: (panel,) for panel in self.panels}
        labels = {tuple(sorted(panel.lines)) for panel in self.panels}
        if len(self.panels) < 2 or len(labels) > 1:
            return single
        return single | {ALL_PANELS: self.panels}

    @property
    def comparisons(self) -> list[Comparison]:
        """Every pair of lines of every group."""
        return [
            Comparison(*pair, where, panels)
            for where, panels in self.groups.items()
            for pair in itertools.combinations(panels[0].lines, 2)
        ]

    def check_owner(self) -> None:
        """Raises RunError if another process has taken the folder: it must not be written to."""
        if self.owner:
            self.owner.check()

    def limits_of(self, cell: Cell) -> Limits:
        """Returns the limits of a cell's runs."""
        return cell.limits or self.limits

    def run_path(self, cell_name: str, seed: int) -> pathlib.Path:
        """Returns the path of a run's folder."""
        return self.path / "runs" / cell_name / f"seed={seed}"

    def agent_name(self, row: Row) -> str:
        """Returns the name of the agent of an evaluation, which `load_agent` takes."""
        return f"{self.run_path(row['cell'], row['seed'])}@{row['iteration']}"
