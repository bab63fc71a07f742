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
from typing import Self

from azjax import games
from azjax.cli.study_script import run_study_script
from azjax.config.fields import with_fields
from azjax.config.run_config import RunConfig
from azjax.studies.options import StudyOptions, base_config, make_study, with_parts
from azjax.studies.study import Cell, Panel, Study
from azjax.support.errors import input_errors
from azjax.support.validation import check_choice

VALUE_TARGETS = {1.0: "outcome", 0.85: "mixture", 0.0: "search value"}
AUXILIARY_HEADS = ("reply", "action_values", "ownership")
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
    augmented = with_fields(base, {"network.equivariant": False})
    return {"off": with_fields(augmented, {"symmetries": False}), "augmentation": augmented}


def with_value_targets(base: RunConfig) -> dict[str, RunConfig]:
    """Returns the base with other weights of the outcome in the value target."""
    return with_each(base, "algorithm.td_lambda", VALUE_TARGETS)


def with_weight_decays(base: RunConfig) -> dict[str, RunConfig]:
    """Returns the base with other weight decays."""
    return with_each(base, "optimizer.weight_decay", WEIGHT_DECAYS)


def with_each(base: RunConfig, field: str, values: dict[float, str]) -> dict[str, RunConfig]:
    """Returns the base with each of some named values of a field."""
    return {name: with_fields(base, {field: value}) for value, name in values.items()}


def with_random_moves(base: RunConfig, fraction: float) -> RunConfig:
    """Returns the base with random moves, and with weighted traces: their cell is to compare with.

    So the outcomes of random moves do not count for the positions before.
    """
    both = with_parts(base, "random_moves", "weighted_traces")
    return with_fields(both, {"random_moves.fraction": fraction})


def with_auxiliary_heads(base: RunConfig) -> dict[str, RunConfig]:
    """Returns the base with each auxiliary head alone that means something in the game."""
    has_ownership = games.make(base.train.game).has_ownership
    return {
        head.replace("_", " "): with_parts(base, head, without=AUXILIARY_HEADS)
        for head in AUXILIARY_HEADS
        if head != "ownership" or has_ownership
    }


def with_global_pooling(base: RunConfig) -> dict[str, RunConfig]:
    """Returns the base with global pooling, where its network is a resnet."""
    is_resnet = base.train.network.name == "resnet"
    return {"on": with_fields(base, {"network.global_pooling": True})} if is_resnet else {}


def with_simulations(base: RunConfig) -> dict[str, RunConfig]:
    """Returns the base with other simulations, of which there are about as many in all.

    With playout caps a quarter of the moves has three times the base's simulations, and the
    others a third. Growing ones are half of the base's at first, and four times that in the end.
    """
    usual = base.train.search.num_simulations
    capped = {
        "search.num_simulations": 3 * usual,
        "playout_caps.fast_simulations": max(1, usual // 3),
    }
    growing = {"search.num_simulations": 2 * usual, "growing_simulations.initial": usual // 2}
    return {
        "playout caps": with_fields(with_parts(base, "playout_caps"), capped),
        "growing": with_fields(with_parts(base, "growing_simulations"), growing),
    }


def with_updates(base: RunConfig, factor: float) -> RunConfig:
    """Returns the base with more or fewer updates."""
    return with_fields(base, {"num_updates": max(1, round(factor * base.train.num_updates))})


SWITCHES: dict[str, Callable[[RunConfig], dict[str, RunConfig]]] = {
    "random starts": lambda base: {"off": with_parts(base, without=["random_starts"])},
    "symmetries": without_symmetries,
    "value target": with_value_targets,
    "temperature moves": lambda base: with_each(base, "algorithm.temperature_moves", {0.0: "none"}),
    "replay window": lambda base: {"growing": with_parts(base, "growing_window")},
    "surprise": lambda base: {"sampling": with_parts(base, "surprise_sampling")},
    "traces": lambda base: {"weighted": with_parts(base, "weighted_traces")},
    "random moves": lambda base: {"one in 20": with_random_moves(base, 0.05)},
    "replay ratio": lambda base: {"half": with_updates(base, 0.5), "double": with_updates(base, 2)},
    "weight decay": with_weight_decays,
    "average": lambda base: with_each(base, "ema_decay", {0.0: "off"}),
    "value head": lambda base: {
        "win, draw, loss": with_fields(base, {"network.value_head": "wdl"})
    },
    "auxiliary heads": with_auxiliary_heads,
    "global pooling": with_global_pooling,
    "proven values": lambda base: {"on": with_fields(base, {"search.proven_values": True})},
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
