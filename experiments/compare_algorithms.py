"""Answers: which learning algorithm learns a game best in equal time?

python experiments/compare_algorithms.py --game tic_tac_toe --seeds 5 --minutes 1

It trains AlphaZero by Gumbel and by PUCT, AlphaGo Zero, AlphaZero with reanalyse, MuZero with and
without it, and the policy gradient, each from several seeds, and evaluates all of them by one
search. The four of AlphaZero's family share the game's preset, which is tuned for Gumbel. It writes
tables, figures and report.md to studies/compare_algorithms_GAME. It takes algorithms x seeds x
minutes: on Connect Four with 3 seeds and 10 minutes, 3.5 hours. --quick takes a few minutes. The
same command resumes a stopped study; with --extend it adds seeds, minutes or algorithms.
"""

import dataclasses
from collections.abc import Callable
from typing import Self

from azjax.cli.study_script import run_study_script
from azjax.config.fields import with_fields
from azjax.config.presets import preset_names
from azjax.config.run_config import RunConfig
from azjax.studies.options import StudyOptions, base_config, make_study, with_parts
from azjax.studies.study import Cell, Panel, Study
from azjax.support.errors import InputError, input_errors
from azjax.support.validation import check_choice, check_distinct

GATING_GAMES, GATING_INTERVAL = 100, 10  # of AlphaGo Zero, the interval in iterations
REANALYSED = 0.5  # searches of replay for each one of self-play

# By cell: the end of its preset's name, and what differs from the preset.
ALGORITHMS: dict[str, tuple[str, Callable[[RunConfig], RunConfig]]] = {
    "alphazero_gumbel": ("", lambda base: with_fields(base, {"search.name": "gumbel"})),
    "alphazero_puct": ("", lambda base: with_fields(base, {"search.name": "puct"})),
    "alphago_zero": ("", lambda base: with_gating(with_fields(base, {"search.name": "puct"}))),
    "alphazero_reanalyse": ("", lambda base: with_reanalyse(base)),
    "muzero": ("_muzero", lambda base: base),
    "muzero_reanalyse": ("_muzero", lambda base: with_reanalyse(base)),
    "policy_gradient": ("_policy_gradient", lambda base: base),
}


@dataclasses.dataclass(frozen=True)
class Options(StudyOptions):
    """Train with each algorithm for the same time, with the values of its family's preset."""

    algorithms: tuple[str, ...] = tuple(ALGORITHMS)
    """The algorithms: alphazero_gumbel, alphazero_puct, alphago_zero, alphazero_reanalyse, muzero,
    muzero_reanalyse, policy_gradient."""

    def __post_init__(self):
        super().__post_init__()
        for name in self.algorithms:
            check_choice("algorithms", name, tuple(ALGORITHMS))
        check_distinct("algorithms", self.algorithms)

    @classmethod
    def quick_defaults(cls) -> Self:
        """Returns two seeds: there are many cells."""
        return dataclasses.replace(super().quick_defaults(), seeds=2)


def with_gating(base: RunConfig) -> RunConfig:
    """Returns the configuration with AlphaGo Zero's gating, whose games are a part of training."""
    gating = {"gating.games": GATING_GAMES, "evaluate_every": GATING_INTERVAL}
    return with_fields(with_parts(base, "gating"), gating)


def with_reanalyse(base: RunConfig) -> RunConfig:
    """Returns the configuration with REANALYSED searches of replay for each of self-play."""
    rows = max(1, round(REANALYSED * base.train.num_moves))
    return with_fields(with_parts(base, "reanalyse"), {"reanalyse.moves": rows})


def design(options: Options) -> Study:
    """Returns a study of the algorithms, all evaluated by the search of the game's preset."""
    evaluated_as = base_config(options.game)
    cells = []
    for name in options.algorithms:
        suffix, change = ALGORITHMS[name]
        preset = f"{options.game}{suffix}"
        if suffix and preset not in preset_names():
            raise InputError(f"{name}: there is no preset {preset}: leave it out of --algorithms")
        with input_errors(name):
            config = change(base_config(preset)).evaluated_as(evaluated_as)
        cells.append(Cell(name, {"algorithm": name}, config, preset))
    lines = {name.replace("_", " "): name for name in options.algorithms}
    return make_study(__file__, options, cells, [Panel(options.game, lines)])


def main(arguments: list[str] | None = None) -> None:
    """Runs the study of the arguments."""
    run_study_script(Options, design, __file__, arguments)


if __name__ == "__main__":
    main()
