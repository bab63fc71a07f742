"""Answers: how much does each part of training contribute, at equal training time?

python experiments/ablate.py --game connect_four --seeds 5 --minutes 20

It changes one switch of the game's preset at a time, such as random starts or symmetries, trains
each setting from several seeds, and writes tables, figures and report.md to studies/ablate_GAME. It
takes cells x seeds x minutes: 38 hours with the 23 cells of Connect Four, 5 seeds and 20 minutes;
--switches names some of them. --quick takes a few minutes. The same command resumes a stopped
study; with --extend it adds seeds, minutes or switches.
"""

import dataclasses
from collections.abc import Callable
from typing import Any, Self

from azjax import games
from azjax.cli.study_script import run_study_script
from azjax.config.run_config import RunConfig
from azjax.networks import AUXILIARY_HEADS
from azjax.studies.options import (
    StudyOptions,
    base_config,
    make_study,
    with_hparams,
    with_search,
    with_train,
)
from azjax.studies.study import Cell, Panel, Study
from azjax.support.errors import input_errors
from azjax.support.validation import check_choice

VALUE_TARGETS = {0.0: "outcome", 0.15: "mixture", 1.0: "search value"}
WEIGHT_DECAYS = {1e-4: "weak", 0.3: "strong"}


@dataclasses.dataclass(frozen=True)
class Options(StudyOptions):
    """Change one switch of the game's preset at a time, and train for the same time."""

    switches: tuple[str, ...] = ()
    """Switches to change, all of them if none is named: random_starts, symmetries, value_target,
    temperature_moves, replay_window, surprise, traces, random_moves, replay_ratio, weight_decay,
    average, value_head, auxiliary_heads, global_pooling, proven_values or simulations. Some have
    several settings, and a cell for each."""

    @classmethod
    def quick_defaults(cls) -> Self:
        """Returns fewer seeds and less time than other studies, because there are many cells."""
        quick = super().quick_defaults()
        return dataclasses.replace(quick, seeds=2, minutes=0.025, evaluate_every=3)


def without_symmetries(base: RunConfig) -> dict[str, RunConfig]:
    """Returns the base without symmetries, and with augmentation instead of equivariance."""
    network = dataclasses.replace(base.train.network, equivariant=False)
    return {
        "off": with_train(base, network=network, symmetries=False),
        "augmentation": with_train(base, network=network),
    }


def with_value_targets(base: RunConfig) -> dict[str, RunConfig]:
    """Returns the base with other weights of the search's value in the value target."""
    return {
        name: with_hparams(base, search_value_weight=weight)
        for weight, name in VALUE_TARGETS.items()
    }


def with_weight_decays(base: RunConfig) -> dict[str, RunConfig]:
    """Returns the base with other weight decays."""
    return {name: with_hparams(base, weight_decay=decay) for decay, name in WEIGHT_DECAYS.items()}


def with_random_moves(base: RunConfig, fraction: float) -> RunConfig:
    """Returns the base with random moves, and with weighted traces: their cell is to compare with.

    So the outcomes of random moves do not count for the positions before.
    """
    return with_hparams(with_train(base, weighted_traces=True), random_move_fraction=fraction)


def with_network(base: RunConfig, **changes: Any) -> RunConfig:
    """Returns the base with other fields of the network."""
    return with_train(base, network=dataclasses.replace(base.train.network, **changes))


def with_auxiliary_heads(base: RunConfig) -> dict[str, RunConfig]:
    """Returns the base with each auxiliary head alone that means something in the game."""
    has_ownership = games.make(base.train.game).has_ownership
    return {
        head.replace("_", " "): with_network(base, auxiliary_heads=(head,))
        for head in AUXILIARY_HEADS
        if head != "ownership" or has_ownership
    }


def with_global_pooling(base: RunConfig) -> dict[str, RunConfig]:
    """Returns the base with global pooling, where its network is a resnet."""
    is_resnet = base.train.network.architecture == "resnet"
    return {"on": with_network(base, global_pooling=True)} if is_resnet else {}


def with_simulations(base: RunConfig) -> dict[str, RunConfig]:
    """Returns the base with other simulations, of which there are about as many in all.

    With playout caps a quarter of the moves has three times those of the base, and the others a
    third. Growing ones are half of the base's at first, and four times that in the end.
    """
    usual = base.train.search.num_simulations
    capped = with_search(base, num_simulations=3 * usual)
    growing = with_search(base, num_simulations=2 * usual)
    return {
        "playout caps": with_train(capped, fast_simulations=max(1, usual // 3)),
        "growing": with_train(growing, initial_simulations=usual // 2),
    }


def with_updates(base: RunConfig, factor: float) -> RunConfig:
    """Returns the base with more or fewer updates."""
    return with_train(base, num_updates=max(1, round(factor * base.train.num_updates)))


SWITCHES: dict[str, Callable[[RunConfig], dict[str, RunConfig]]] = {
    "random starts": lambda base: {"off": with_hparams(base, random_start_fraction=0.0)},
    "symmetries": without_symmetries,
    "value target": with_value_targets,
    "temperature moves": lambda base: {"none": with_hparams(base, temperature_moves=0.0)},
    "replay window": lambda base: {"growing": with_train(base, growing_window=True)},
    "surprise": lambda base: {"sampling": with_train(base, surprise_sampling=True)},
    "traces": lambda base: {"weighted": with_train(base, weighted_traces=True)},
    "random moves": lambda base: {"one in 20": with_random_moves(base, 0.05)},
    "replay ratio": lambda base: {"half": with_updates(base, 0.5), "double": with_updates(base, 2)},
    "weight decay": with_weight_decays,
    "average": lambda base: {"off": with_hparams(base, average_decay=0.0)},
    "value head": lambda base: {"win, draw, loss": with_network(base, value_head="wdl")},
    "auxiliary heads": with_auxiliary_heads,
    "global pooling": with_global_pooling,
    "proven values": lambda base: {"on": with_search(base, proven_values=True)},
    "simulations": with_simulations,
}


def select_switches(options: Options, base: RunConfig) -> dict[str, dict[str, RunConfig]]:
    """Returns by switch and setting the configurations that differ from the base in the switch.

    Raises:
      InputError: There is no such switch, the base's algorithm has no such option, or a switch that
        is named changes nothing.
    """
    by_flag = {switch.replace(" ", "_"): switch for switch in SWITCHES}
    selected = {}
    with input_errors():
        for name in options.switches or by_flag:
            check_choice("switches", name, tuple(by_flag))
            settings = SWITCHES[by_flag[name]](base)
            settings = {setting: config for setting, config in settings.items() if config != base}
            if settings:
                selected[by_flag[name]] = settings
            elif options.switches:
                raise ValueError(f"switches={name!r}: changes nothing in {options.game}")
    return selected


def design(options: Options) -> Study:
    """Returns a study of the base and each setting, with a panel for each switch."""
    base = Cell("base", {"switch": "none", "setting": "preset"}, base_config(options.game))
    cells, panels = [base], []
    for switch, settings in select_switches(options, base.config).items():
        lines = {"preset": base.name}
        for setting, config in settings.items():
            name = f"{switch} {setting}".replace(",", "").replace(" ", "_")
            cells.append(Cell(name, {"switch": switch, "setting": setting}, config))
            lines[setting] = name
        panels.append(Panel(switch, lines))
    return make_study(__file__, options, cells, panels)


def main(arguments: list[str] | None = None) -> None:
    """Runs the study of the arguments."""
    run_study_script(Options, design, __file__, arguments)


if __name__ == "__main__":
    main()
