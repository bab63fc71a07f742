"""Answers: which search is better, Gumbel, PUCT or another, at equal simulations and equal time?

python experiments/compare_search.py --game connect_four --simulations 2 8 32 --seeds 5 --minutes 20

It compares them in training, at each number of simulations and from several seeds, and at play
time, where all search the same network. It writes tables, figures and report.md to
studies/compare_search_GAME. It takes searches x simulations x seeds x minutes: 10 hours with 2
searches, 3 numbers of simulations, 5 seeds and 20 minutes. --quick takes a few minutes. The same
command resumes a stopped study; with --extend it adds seeds, simulations, searches or minutes.
"""

import dataclasses
import re
import tomllib
from typing import Self

from azjax.cli.study_script import run_study_script
from azjax.config.fields import with_fields
from azjax.config.run_config import RunConfig
from azjax.studies.options import (
    Numbers,
    StudyOptions,
    base_config,
    check_sizes,
    make_study,
    read_tuned_numbers,
)
from azjax.studies.study import SEARCH_LABELS, Cell, Panel, Study
from azjax.support.component import component_names
from azjax.support.errors import input_errors
from azjax.support.validation import check_choice, check_distinct


@dataclasses.dataclass(frozen=True)
class Options(StudyOptions):
    """Train with each search at each number of simulations, with everything else equal."""

    searches: tuple[str, ...] = ("gumbel", "puct")
    """The searches: gumbel, puct, uct, or registered ones; also one with fields of its own, as
    puct:kept_nodes=64."""

    simulations: tuple[int, ...] = (2, 4, 8, 16, 32, 64)
    """Numbers of simulations per move, in training and at play time."""

    tuned: tuple[str, ...] = ()
    """SEARCH=FILE.toml for each search: the numbers of its cells from a preset file, such as a
    sweep's best.toml; accuracy is then measured on the half of the solved positions by which no
    sweep chooses. If not given: the numbers of the game's preset, and of another search its
    defaults."""

    def __post_init__(self):
        super().__post_init__()
        check_sizes("simulations", self.simulations)
        for search in self.searches:
            check_choice("searches", _search_name(search), component_names("search"))
        check_distinct("searches", self.searches)
        if len(self.searches) < 2:
            raise ValueError("searches: name at least two")

    @classmethod
    def quick_defaults(cls) -> Self:
        """Returns the defaults with --quick."""
        return dataclasses.replace(super().quick_defaults(), simulations=(4, 16))


def design(options: Options) -> Study:
    """Returns a study of the searches at each number of simulations, a panel for each number."""
    base = base_config(options.game)
    with input_errors():
        names = list(dict.fromkeys(map(_search_name, options.searches)))
        tuned = read_tuned_numbers(options.tuned, names, base)
        cells = [
            make_cell(base, search, n, tuned.get(_search_name(search), {}))
            for n in options.simulations
            for search in options.searches
        ]
    labels = {SEARCH_LABELS.get(search, search): search for search in options.searches}
    return make_study(
        __file__,
        options,
        cells,
        panels=[
            Panel(
                f"{n} simulations",
                {label: _cell_name(search, n) for label, search in labels.items()},
            )
            for n in options.simulations
        ],
        play_time_simulations=options.simulations,
        is_tuned=bool(tuned),
    )


def make_cell(base: RunConfig, search: str, num_simulations: int, numbers: Numbers) -> Cell:
    """Returns the cell of the base with another search in self-play, and other numbers."""
    chosen = {"search.name": _search_name(search), "search.num_simulations": num_simulations}
    return Cell(
        _cell_name(search, num_simulations),
        {"search": search, "num_simulations": num_simulations},
        with_fields(base, chosen | numbers | _read_fields(search)),
    )


def _search_name(search: str) -> str:
    """Returns the name of a search that may have fields of its own."""
    return search.partition(":")[0]


def _cell_name(search: str, num_simulations: int) -> str:
    """Returns a name that a folder may have."""
    return re.sub("[:=,]", "_", f"{search}_{num_simulations}")


def _read_fields(search: str) -> dict[str, float | bool]:
    """Returns the fields behind the name, FIELD=NUMBER or FIELD=true with commas between."""
    fields: dict[str, float | bool] = {}
    for entry in filter(None, search.partition(":")[2].split(",")):
        name, _, value = entry.partition("=")
        try:
            fields[f"search.{name}"] = tomllib.loads(f"x = {value}")["x"]
        except tomllib.TOMLDecodeError as error:
            raise ValueError(f"searches: {entry}: write FIELD=NUMBER") from error
        if name in ("name", "num_simulations"):
            raise ValueError(f"searches: {entry}: must not set {name}, which the study varies")
    return fields


def main(arguments: list[str] | None = None) -> None:
    """Runs the study of the arguments."""
    run_study_script(Options, design, __file__, arguments)


if __name__ == "__main__":
    main()
